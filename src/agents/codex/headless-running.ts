// A turn from the prompt to its end: its events, what it asks, and when it is over.
import { isObject } from '../../lib/jsonl.ts'
import type { RunEvent, RunOutcome } from '../../model/run.ts'
import { RunQueue } from '../run-queue.ts'
import type { RequestId } from './app-server.ts'
import type { Question } from './headless-approvals.ts'
import { TurnReader } from './headless-turn.ts'
import type { Body } from './lines.ts'

interface OpenQuestion {
  readonly serverId: RequestId
  readonly question: Question
}

export class RunningTurn {
  readonly events: RunQueue
  readonly questions = new Map<string, OpenQuestion>()
  /** Items of the turn and of its subagents that have begun. */
  readonly items = new Map<string, Body>()
  /** Its id once Codex has taken the prompt; `null` when it never did. */
  readonly begun: Promise<string | null>
  readonly over: Promise<void>
  reader: TurnReader | null = null
  isUnwanted = false
  private tellBegun: (id: string | null) => void = () => undefined
  private tellOver: () => void = () => undefined
  private tellCommandsDone: () => void = () => undefined

  constructor(onLeave: () => void, onEnd: () => void) {
    this.events = new RunQueue(onLeave)
    this.begun = new Promise((resolve) => {
      this.tellBegun = resolve
    })
    this.over = new Promise((resolve) => {
      this.tellOver = () => {
        onEnd()
        resolve()
      }
    })
  }

  get isOver(): boolean {
    return this.events.ended
  }

  tell(event: RunEvent): void {
    this.events.push(event)
  }

  begin(turnId: string, sessionId: string, model: string | null): void {
    this.reader = new TurnReader(turnId)
    this.tell({ kind: 'started', sessionId, turnId, model })
    this.tellBegun(turnId)
  }

  noteItem(item: unknown): void {
    if (isObject(item) && typeof item.id === 'string') this.items.set(item.id, item)
  }

  resultCame(): void {
    if (this.openCommands().length === 0) this.tellCommandsDone()
  }

  commandsDone(): Promise<void> {
    return new Promise((resolve) => {
      this.tellCommandsDone = resolve
      this.resultCame()
    })
  }

  /** Codex no longer waits for the answer. */
  withdraw(serverId: unknown): void {
    for (const [requestId, open] of this.questions) if (open.serverId === serverId) this.drop(requestId)
  }

  dropQuestions(): void {
    for (const requestId of this.questions.keys()) this.drop(requestId)
  }

  end(outcome: RunOutcome, error: string | null): void {
    if (this.isOver) return
    this.dropQuestions()
    if (outcome !== 'complete') for (const event of this.reader?.cutOffEvents() ?? []) this.tell(event)
    for (const event of this.reader?.usageEvents() ?? []) this.tell(event)
    this.tell({ kind: 'end', outcome, error })
    this.tellBegun(this.reader?.turnId ?? null)
    this.tellOver()
  }

  private drop(requestId: string): void {
    this.questions.delete(requestId)
    this.tell({ kind: 'permission_resolved', requestId, verdict: null })
  }

  private openCommands(): Body[] {
    return [...(this.reader?.openCalls.values() ?? [])].filter(({ type }) => type === 'commandExecution')
  }
}
