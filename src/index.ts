// The public library: everything the command line does, as functions.
//
//   import { createApp } from 'offshoot'
//   import { homedir } from 'node:os'
//
//   const app = createApp({ home: homedir(), vars: process.env, cwd: process.cwd(), now: Date.now })
//   for (const session of await app.listSessions({ repo: process.cwd(), limit: 10 })) {
//     console.log(session.agent, session.id, session.title)
//   }
//   const { session, turn } = await app.resolve('last@-2')
//   for await (const entry of app.readSession(session, turn === null ? {} : { upTo: { turnId: turn.id } })) {
//     if (entry.kind === 'message') console.log(entry.message.role, entry.message.text)
//   }
//   const plan = await app.planFork({ address: 'last@-2', code: 'head' })
//   const { fork } = await app.executeFork(plan, { accept: plan.confirm })
//   console.log(fork.command.argv, fork.command.cwd)
//   const { patch } = await app.diff({ from: 'last@3', to: 'last@7' })
//   const { id } = await app.restore(await app.planRestore({ address: 'last@3', paths: ['src/auth.ts'] }))
//   await app.undo(id)
//   const worker = await app.spawnWorker({ agent: 'claude', kind: 'headless', projectPath: process.cwd() })
//   const { answer } = await app.sendToWorker(worker.name, 'Write the tests.')
//   await app.shutDown()
//   app.close()
export type { Agent, LiveSession, SessionFile } from './agents/agent.ts'
export type { Abilities, AgentEnv } from './agents/agent-env.ts'
export { builtinAgents } from './agents/index.ts'
export type { Entry, ReadOptions, SessionSummary, Skipped } from './agents/reading.ts'
export type { RefreshOptions } from './app/session-verbs.ts'
export { type App, type AppOptions, createApp } from './app.ts'
export { type Address, parseAddress, type SessionName, type TurnName } from './model/address.ts'
export type {
  CapturedBy,
  CodeDiff,
  DiffRequest,
  DiffResult,
  FileChange,
  Garbage,
  GcReport,
  HookOutcome,
  HookRequest,
  HookStatus,
  NotCovered,
  RestoreEntry,
  RestorePlan,
  RestoreRequest,
  RestoreResult,
  RestoreUndone,
  TurnSnapshot,
} from './model/capture.ts'
export type {
  ArchiveOptions,
  ArchiveReport,
  CatalogSession,
  Check,
  CostComparison,
  LineageNode,
  RefreshProgress,
  RefreshReport,
  Repository,
  SessionChange,
  SessionCost,
  SessionQuery,
  Target,
} from './model/catalog.ts'
export { AppError, type ErrorCode, errorTable } from './model/error.ts'
export type { AppEvent, EventBody } from './model/event.ts'
export type {
  BlockerCode,
  CodeMode,
  CommandSpec,
  Cut,
  Fork,
  ForkEntry,
  ForkRequest,
  ForkResult,
  Notice,
  Plan,
  Proof,
  Recovered,
  RecoverReport,
  Strategy,
  TerminalChoice,
  UndoResult,
  WarningCode,
} from './model/fork.ts'
export { type QmdGuidance, type QmdProgress, type QmdReport, renderQmdGuidance, renderQmdReport } from './model/qmd.ts'
export {
  renderCheck,
  renderError,
  renderFork,
  renderForkEntry,
  renderForkResult,
  renderMessage,
  renderNode,
  renderPlan,
  renderProof,
  renderSession,
  renderTurn,
  renderUndo,
  sessionAddress,
  turnAddress,
} from './model/render.ts'
export {
  renderDiff,
  renderGc,
  renderRestore,
  renderRestorePlan,
  renderSnapshot,
  renderStart,
  renderStarted,
  renderStartPlan,
} from './model/render-code.ts'
export { renderHookOutcome, renderHookStatus } from './model/render-hooks.ts'
export { renderIndexProgress, renderIndexReport, renderIndexState, renderSearch } from './model/render-search.ts'
export type { Decision, PermissionPolicy, PermissionRequest, PermissionVerdict, RunEvent, RunOutcome } from './model/run.ts'
export type {
  Explanation,
  IndexProgress,
  IndexReport,
  IndexState,
  SearchAnswer,
  SearchQuery,
  SearchResult,
  Snippet,
} from './model/search.ts'
export {
  type AgentId,
  agentIds,
  type ForkKind,
  type Message,
  type ParentLink,
  type Role,
  type Session,
  type ToolCall,
  type Turn,
  type TurnState,
  type Usage,
} from './model/session.ts'
export type { StartEntry, Started, StartPlan, StartRequest, StartResult } from './model/start.ts'
export type {
  ForkWorkerRequest,
  SendResult,
  SpawnedWorker,
  Worker,
  WorkerKind,
  WorkerRequest,
  WorkerSettings,
  WorkerState,
} from './model/worker.ts'
