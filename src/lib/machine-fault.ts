// Conditions of the machine as errors a user can act on: a full disk, missing permissions, too many open files, a failing disk. Both
// kinds of errors that report them are covered: those of Node (`code`, `syscall`, mostly `path`) and those of SQLite (`SQLITE_...`).
import { closeSync } from 'node:fs'
import { AppError, type ErrorCode, errorTable } from '../model/error.ts'
import { errorMessage } from './error-message.ts'
import { fileErrorCode } from './file-errors.ts'
import { openRegular } from './regular-file.ts'

interface Condition {
  readonly code: ErrorCode
  /** Begins the message. */
  readonly reason: string
  readonly hint: string
}

const freeSpace = 'Free some space and try again.'
const checkPermissions = 'Check the owner and the permissions of the file and its folder.'
const checkDisk = 'Check the disk; the log of the system (`dmesg`) says more.'
const tryAgain = 'Try again; if the error stays, check what is at that place.'
const moveAway = 'Move away what is at that place and try again.'
const endPrograms = 'End some programs and try again.'
const otherPlace = 'Choose a place on another file system.'
const repair = errorTable.store_failed.hint

/** Codes that are not here (EBADF, EINVAL, SQLITE_CONSTRAINT ...) are mistakes of the program. */
const conditions: Readonly<Record<string, Condition>> = {
  ENOSPC: { code: 'disk_full', reason: 'The disk is full', hint: freeSpace },
  EDQUOT: { code: 'disk_full', reason: 'The disk quota is used up', hint: freeSpace },
  EMFILE: {
    code: 'machine_limit',
    reason: 'This process has too many open files',
    hint: 'Raise the limit, for example with `ulimit -n 4096`, and try again.',
  },
  ENFILE: {
    code: 'machine_limit',
    reason: 'The system has too many open files',
    hint: 'End some programs, or raise the limit `fs.file-max`, and try again.',
  },
  ENOMEM: { code: 'machine_limit', reason: 'The memory is used up', hint: endPrograms },
  EAGAIN: {
    code: 'machine_limit',
    reason: 'The system has no room for another process',
    hint: 'End some programs, or raise the limit (`ulimit -u`), and try again.',
  },
  ENOLCK: { code: 'machine_limit', reason: 'The file system gives no more locks', hint: endPrograms },
  EACCES: { code: 'unreadable', reason: 'Permission denied', hint: checkPermissions },
  EPERM: { code: 'unreadable', reason: 'The operation is not permitted', hint: checkPermissions },
  EROFS: {
    code: 'unreadable',
    reason: 'The file system is read-only',
    hint: 'Mount it writable, or choose a place that is.',
  },
  EIO: { code: 'failed', reason: 'The disk reports an error', hint: checkDisk },
  ENXIO: { code: 'unreadable', reason: 'A socket or a device is where a file belongs', hint: moveAway },
  ENODEV: { code: 'failed', reason: 'The device does not exist', hint: checkDisk },
  ESTALE: { code: 'failed', reason: 'The network file system has lost the file', hint: 'Mount it again.' },
  ETIMEDOUT: { code: 'failed', reason: 'The file system does not answer', hint: 'Mount it again.' },
  ENOENT: { code: 'failed', reason: 'A file or directory does not exist', hint: tryAgain },
  ENOTDIR: { code: 'unreadable', reason: 'A part of the path is not a directory', hint: moveAway },
  EISDIR: { code: 'unreadable', reason: 'A directory is where a file belongs', hint: moveAway },
  EEXIST: { code: 'unreadable', reason: 'The name is taken', hint: moveAway },
  ENOTEMPTY: { code: 'failed', reason: 'A directory is not empty', hint: tryAgain },
  EBUSY: { code: 'failed', reason: 'Another program uses the file', hint: 'End that program and try again.' },
  ETXTBSY: { code: 'failed', reason: 'Another program uses the file', hint: 'End that program and try again.' },
  EFBIG: { code: 'unreadable', reason: 'The file is too large', hint: 'Move the file away, or make it smaller.' },
  ELOOP: { code: 'unreadable', reason: 'Symbolic links lead in a circle', hint: 'Correct the links on the path.' },
  ENAMETOOLONG: { code: 'failed', reason: 'The name is too long', hint: 'Choose a shorter path.' },
  EMLINK: { code: 'failed', reason: 'The file system allows no more links', hint: otherPlace },
  EXDEV: { code: 'failed', reason: 'The two places are on different file systems', hint: otherPlace },
  ENOTSUP: { code: 'failed', reason: 'The file system cannot do this', hint: otherPlace },
  EOPNOTSUPP: { code: 'failed', reason: 'The file system cannot do this', hint: otherPlace },
  ENOSYS: { code: 'failed', reason: 'The file system cannot do this', hint: otherPlace },
  SQLITE_FULL: { code: 'disk_full', reason: 'The disk is full', hint: freeSpace },
  SQLITE_READONLY: { code: 'store_failed', reason: 'The file is read-only', hint: checkPermissions },
  SQLITE_CANTOPEN: { code: 'store_failed', reason: 'The file cannot be opened', hint: checkPermissions },
  SQLITE_PERM: { code: 'store_failed', reason: 'Permission denied', hint: checkPermissions },
  SQLITE_AUTH: { code: 'store_failed', reason: 'Permission denied', hint: checkPermissions },
  SQLITE_IOERR: { code: 'store_failed', reason: 'The disk reports an error', hint: checkDisk },
  SQLITE_NOMEM: { code: 'machine_limit', reason: 'The memory is used up', hint: endPrograms },
  SQLITE_NOLFS: { code: 'store_failed', reason: 'The file system cannot hold files this large', hint: otherPlace },
  SQLITE_BUSY: { code: 'store_busy', reason: 'Another process is writing', hint: 'Try again in a moment.' },
  SQLITE_PROTOCOL: { code: 'store_busy', reason: 'Another process is writing', hint: 'Try again in a moment.' },
  SQLITE_CORRUPT: { code: 'store_failed', reason: 'The file is damaged', hint: repair },
  SQLITE_NOTADB: { code: 'store_failed', reason: 'The file is not a database', hint: repair },
}

export interface FaultPlace {
  /** What could not be read or written, where the error itself does not name it; `null`: it is not to be named. */
  readonly path?: string | null
}

/** The error with its remedy, an `AppError` as it is; `null` when it is not a condition of the machine: then it is a bug. */
export function toMachineFault(error: unknown, place: FaultPlace = {}): AppError | null {
  if (error instanceof AppError) return error
  const condition = limitBehind(error) ?? conditionOf(error)
  if (condition === undefined) return causeOf(error, place)
  const message = sayWhat(error, condition, place)
  return new AppError(condition.code, message, { hint: condition.hint, cause: error })
}

/** As `toMachineFault`, with anything else passed on: `throw explainMachine(error)`. */
export function explainMachine(error: unknown, place?: FaultPlace): unknown {
  return toMachineFault(error, place) ?? error
}

/** What a program reports in words (`LC_ALL=C`) when the machine let it down; `undefined`: it says nothing of the kind. */
export function machineWords(text: string): Condition | undefined {
  // What Node says of a program that could not be started at all.
  const code = /^spawn .* (E[A-Z]+)$/m.exec(text)?.[1] ?? words.find(([pattern]) => pattern.test(text))?.[1]
  return code === undefined ? undefined : conditions[code]
}

const words: readonly (readonly [RegExp, string])[] = [
  [/No space left on device/, 'ENOSPC'],
  [/Disk quota exceeded/, 'EDQUOT'],
  [/Too many open files in system/, 'ENFILE'],
  [/Too many open files/, 'EMFILE'],
  [/Cannot allocate memory|out of memory/i, 'ENOMEM'],
  [/Read-only file system/, 'EROFS'],
  // ssh says it of a key, with the kinds of keys behind it.
  [/Permission denied$/m, 'EACCES'],
  [/Input\/output error/, 'EIO'],
  [/Resource temporarily unavailable/, 'EAGAIN'],
]

export function isDiskFull(error: unknown): boolean {
  return toMachineFault(error)?.code === 'disk_full'
}

/** Errors that do not tell why a file could not be opened: those of SQLite, and of Node when it looks for a module. */
const withoutReason = /^(SQLITE_(CANTOPEN|IOERR)|ERR_MODULE_NOT_FOUND)/

/** More than one of them has open at once; what failed has closed its own by the time it is reported. */
const mostFilesAtOnce = 16

/** A limit of open files, which shows by opening others. */
function limitBehind(error: unknown): Condition | undefined {
  if (!withoutReason.test(fileErrorCode(error) ?? '')) return undefined
  const opened: number[] = []
  try {
    while (opened.length < mostFilesAtOnce) opened.push(openRegular(process.execPath))
    return undefined
  } catch (limit) {
    return conditionOf(limit)
  } finally {
    for (const fd of opened) closeSync(fd)
  }
}

function conditionOf(error: unknown): Condition | undefined {
  // `fs.rm` has a code of its own for a directory.
  const code = fileErrorCode(error)?.replace(/^ERR_FS_/, '')
  if (code === undefined) return undefined
  // SQLite's codes have more precise forms: SQLITE_IOERR_WRITE.
  if (code.startsWith('SQLITE_')) return conditions[code.split('_').slice(0, 2).join('_')]
  // Errors of the system name the call that failed; others (ERR_..., those of a library) may be bugs.
  return typeof error === 'object' && error !== null && 'syscall' in error ? conditions[code] : undefined
}

function causeOf(error: unknown, place: FaultPlace): AppError | null {
  return error instanceof Error && error.cause !== undefined ? toMachineFault(error.cause, place) : null
}

function sayWhat(error: unknown, { code, reason }: Condition, { path }: FaultPlace): string {
  const verb = code === 'disk_full' ? 'write to' : 'use'
  const subject = path ?? (isOfStore(error) ? 'its database' : path === null ? 'a file' : pathOf(error))
  return `${reason}: offshoot cannot ${verb} ${subject}${path === null ? '' : systemWords(error)}.`
}

function pathOf(error: unknown): string {
  const { path, dest } = error as { readonly path?: unknown; readonly dest?: unknown }
  const named = [path, dest].filter((each) => typeof each === 'string' || Buffer.isBuffer(each))
  return named.length === 0 ? 'a file' : named.map(String).join(' and ')
}

/** For those who know them. */
function systemWords(error: unknown): string {
  const code = fileErrorCode(error)
  if (isOfStore(error)) return code === 'SQLITE_FULL' ? '' : ` (${errorMessage(error)})`
  return ` (${(error as { readonly syscall?: unknown }).syscall}: ${code})`
}

function isOfStore(error: unknown): boolean {
  return fileErrorCode(error)?.startsWith('SQLITE_') ?? false
}
