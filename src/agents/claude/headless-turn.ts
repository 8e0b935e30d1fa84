// One turn of a headless conversation: which of the lines the CLI prints belong to it, when it is over, and how it ended.
// Claude Code may run turns nobody asked for (a background task reports), before, after and in the middle of ours.
import { isObject } from '../../lib/jsonl.ts'
import type { RunEvent, RunOutcome } from '../../model/run.ts'
import { RunQueue } from '../run-queue.ts'
import { EventReader, type OutputLine, outcomeOf } from './headless-events.ts'

/** A subagent in the background that is done makes the CLI go on by itself within this time, seen on 2.1.325. */
const followUpMs = 700

export interface TurnEnd {
  readonly outcome: RunOutcome
  readonly error: string | null
}

export class HeadlessTurn {
  /** Also the uuid of the prompt's line in the session's file. */
  readonly id: string
  readonly queue: RunQueue
  /** Lines that are told of and must be in the file in the end. */
  lastUuid: string | null = null
  readonly #sessionId: string
  readonly #onOver: (end: TurnEnd) => void
  readonly #reader = new EventReader()
  readonly #notices = new Set<string>()
  #agents = new Set<string>()
  #hasReceipts = false
  #isTaken = false
  #isTold = false
  #model: string | null = null
  #expectsMore = false
  /** Set while its own answer is complete and background agents still work for it. */
  #answered: TurnEnd | null = null
  #timer: NodeJS.Timeout | null = null
  #whenTaken: (() => void)[] = []

  constructor(id: string, sessionId: string, onOver: (end: TurnEnd) => void, onLeave: () => void) {
    this.id = id
    this.#sessionId = sessionId
    this.#onOver = onOver
    this.queue = new RunQueue(onLeave)
  }

  /** Called once the CLI works on the prompt: earlier, an interrupt would find nothing to interrupt. */
  whenTaken(then: () => void): void {
    if (this.#isTaken) then()
    else this.#whenTaken.push(then)
  }

  /** Agents in the background while the turn has nothing else to do. */
  get waitsFor(): readonly string[] {
    return this.#answered === null ? [] : [...this.#agents]
  }

  push(event: RunEvent): void {
    this.queue.push(event)
  }

  take(line: OutputLine): void {
    this.#noteReceipt(line)
    this.#noteAgents(line)
    if (line.type === 'system' && line.subtype === 'init') this.#begin(line)
    if (!this.#isTaken) return
    if (typeof line.parent_tool_use_id !== 'string' && (line.type === 'assistant' || line.type === 'user')) {
      if (typeof line.uuid === 'string') this.lastUuid = line.uuid
    }
    const events = this.#reader.read(line)
    if (events.length > 0) this.#tellStart()
    for (const event of events) if (this.#isNews(event)) this.push(event)
    if (line.type === 'result') {
      this.#answered = outcomeOf(line)
      this.#settle()
    }
  }

  /** The process is gone, or has to go. */
  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    for (const event of this.#reader.flush()) this.push(event)
  }

  /** 2.1.325 says what becomes of each prompt; 2.1.197 does not, and there the next turn to begin is ours. */
  #noteReceipt(line: OutputLine): void {
    if (line.type !== 'command_lifecycle' || line.command_uuid !== this.id) return
    this.#hasReceipts = true
    if (line.state === 'started') this.#setTaken()
  }

  #begin(line: OutputLine): void {
    if (!this.#hasReceipts) this.#setTaken()
    if (typeof line.model === 'string') this.#model = line.model
    if (!this.#isTaken) return
    this.#tellStart()
    if (this.#answered !== null) this.#expectsMore = false
    this.#answered = null
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #setTaken(): void {
    this.#isTaken = true
    for (const then of this.#whenTaken.splice(0)) then()
  }

  #tellStart(): void {
    if (this.#isTold) return
    this.#isTold = true
    this.push({ kind: 'started', sessionId: this.#sessionId, turnId: this.id, model: this.#model })
  }

  #noteAgents(line: OutputLine): void {
    if (line.type !== 'system') return
    if (line.subtype === 'background_tasks_changed' && Array.isArray(line.tasks)) {
      const agents = line.tasks.filter(isObject).filter(({ task_type }) => task_type === 'local_agent')
      if (agents.length < this.#agents.size) this.#expectsMore = true
      this.#agents = new Set(agents.map(({ task_id }) => String(task_id)))
      this.#settle()
    }
  }

  /** A turn is everything up to the next prompt: what subagents in the background bring in belongs to it. */
  #settle(): void {
    const end = this.#answered
    if (end === null) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    if (end.outcome !== 'complete' || (this.#agents.size === 0 && !this.#expectsMore)) this.#onOver(end)
    else if (this.#agents.size > 0) this.#tellNotice(`${this.#agents.size} agent(s) still work in the background.`)
    else this.#timer = setTimeout(() => this.#onOver(end), followUpMs)
  }

  #tellNotice(text: string): void {
    if (this.#isNews({ kind: 'notice', text })) this.push({ kind: 'notice', text })
  }

  #isNews(event: RunEvent): boolean {
    if (event.kind !== 'notice') return true
    const isNew = !this.#notices.has(event.text)
    this.#notices.add(event.text)
    return isNew
  }
}
