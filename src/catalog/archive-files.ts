// The archive on disk: `archive/<agent>/<session id>/` holds gzipped segments named by their content and one manifest that
// says which segments make up which file. Named by content, no bytes are stored twice; the manifest is written last, so a
// crash leaves at most a segment no one names.
import { createHash } from 'node:crypto'
import { closeSync, existsSync, fstatSync, fsyncSync, mkdirSync, openSync, readdirSync, readSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { fileErrorCode, isMissing } from '../lib/file-errors.ts'
import { anySize, openRegular, readRegular, readRegularText } from '../lib/regular-file.ts'
import { AppError } from '../model/error.ts'
import type { AgentId } from '../model/session.ts'
import type { ArchivedFile } from '../store/archive.ts'

const compress = promisify(gzip)
const decompress = promisify(gunzip)
const segmentBytes = 4 << 20

export interface Segment {
  readonly sha256: string
  readonly bytes: number
}

/** One state of a file. A file that only grew stays one generation; one that was rewritten begins the next. */
export interface Generation {
  readonly bytes: number
  readonly modifiedAt: number
  readonly inode: number
  readonly archivedAt: number
  readonly segments: readonly Segment[]
}

export interface ManifestFile {
  readonly path: string
  readonly role: ArchivedFile['role']
  /** Oldest first. */
  readonly generations: readonly Generation[]
}

export interface Manifest {
  readonly version: 1
  readonly agent: AgentId
  readonly sessionId: string
  readonly files: readonly ManifestFile[]
}

export function archiveFolder(root: string, agent: AgentId, sessionId: string): string {
  // An id is a file's name, which may be anything: no separator and no `..` may get through.
  return join(root, 'archive', agent, encodeURIComponent(sessionId).replaceAll('.', '%2E'))
}

/** `null` where there is none; throws where it cannot be understood. */
export function readManifest(folder: string): Manifest | null {
  try {
    const manifest: unknown = JSON.parse(readRegularText(join(folder, 'manifest.json'), anySize))
    if (!isManifest(manifest)) throw new Error('it is not what offshoot writes')
    return manifest
  } catch (error) {
    if (isMissing(error)) return null
    throw new AppError('failed', `${folder}/manifest.json cannot be read.`, { cause: error })
  }
}

/** For whoever goes on without it: the segments of a damaged one stay, and are named again by the next. */
export function readSoundManifest(folder: string): Manifest | null {
  try {
    return readManifest(folder)
  } catch {
    return null
  }
}

function isManifest(value: unknown): value is Manifest {
  const files = (value as Partial<Manifest> | null)?.files
  if (!Array.isArray(files)) return false
  return files.every((file: Partial<ManifestFile> | null) => {
    const { path, generations } = file ?? {}
    const isWhole = (each: Partial<Generation> | null) => Array.isArray(each?.segments) && typeof each?.bytes === 'number'
    return typeof path === 'string' && Array.isArray(generations) && generations.every(isWhole)
  })
}

/** What is no manifest is laid aside, not overwritten: a person may still read out of it which segments belong together. */
export function setDamagedAside(folder: string): void {
  try {
    readManifest(folder)
  } catch (error) {
    // One that cannot be opened may be whole.
    if (fileErrorCode((error as Error).cause) !== undefined) throw error
    const path = join(folder, 'manifest.json')
    renameSync(path, `${path}.damaged`)
  }
}

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writePrivately(join(folder, 'manifest.json'), JSON.stringify(manifest))
  syncFolder(folder)
}

/** What the store keeps of a manifest: the newest state of each file. */
export function toIndex({ agent, sessionId, files }: Manifest): ArchivedFile[] {
  return files.flatMap(({ path, role, generations }) => {
    const last = generations.at(-1)
    if (last === undefined) return []
    const { bytes, modifiedAt, inode, archivedAt } = last
    return { agent, sessionId, path, role, bytes, modifiedAt, inode, archivedAt }
  })
}

export function listArchiveFolders(root: string): string[] {
  return listFolder(join(root, 'archive')).flatMap((agent) => listFolder(agent))
}

/** Copies what is not there yet; `null` when the last generation already is this very state of the file. */
export async function copyFile(
  folder: string,
  path: string,
  last: Generation | undefined,
  now: number,
): Promise<CopiedFile | null> {
  const fd = openRegular(path)
  try {
    const { size, mtimeMs, ino } = fstatSync(fd)
    const modifiedAt = Math.floor(mtimeMs)
    if (last?.bytes === size && last.modifiedAt === modifiedAt && last.inode === ino) return null
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const segments = keepUnchanged(folder, fd, size, last?.segments ?? [])
    const grew = last === undefined || segments.length === last.segments.length
    for (let offset = sumBytes(segments); offset < size; offset = sumBytes(segments)) {
      const bytes = readRange(fd, offset, Math.min(segmentBytes, size - offset))
      if (bytes.length === 0) break // cut short while being copied
      segments.push(await writeSegment(folder, bytes))
    }
    const generation = { bytes: sumBytes(segments), modifiedAt, inode: ino, archivedAt: now, segments }
    return { generation, grew }
  } finally {
    closeSync(fd)
  }
}

export interface CopiedFile {
  readonly generation: Generation
  /** The last generation is part of this one and need not be kept. */
  readonly grew: boolean
}

/** Leading segments whose bytes still stand in the file, and that are still ours to give back. */
function keepUnchanged(folder: string, fd: number, size: number, segments: readonly Segment[]): Segment[] {
  const kept: Segment[] = []
  let offset = 0
  for (const segment of segments) {
    if (!existsSync(segmentPath(folder, segment.sha256))) break
    if (offset + segment.bytes > size || hash(readRange(fd, offset, segment.bytes)) !== segment.sha256) break
    kept.push(segment)
    offset += segment.bytes
  }
  return kept
}

async function writeSegment(folder: string, bytes: Buffer): Promise<Segment> {
  const sha256 = hash(bytes)
  const path = segmentPath(folder, sha256)
  if (!existsSync(path)) await writePrivately(path, await compress(bytes))
  return { sha256, bytes: bytes.length }
}

/** The exact bytes of a generation, checked against their names. */
export async function* readGeneration(folder: string, { segments }: Generation): AsyncGenerator<Buffer> {
  for (const { sha256, bytes } of segments) {
    const content = await decompress(readRegular(segmentPath(folder, sha256), anySize))
    if (content.length !== bytes || hash(content) !== sha256) {
      throw new AppError('failed', `The archived copy is damaged: ${segmentPath(folder, sha256)}`)
    }
    yield content
  }
}

function segmentPath(folder: string, sha256: string): string {
  return join(folder, `${sha256}.gz`)
}

async function writePrivately(path: string, data: string | Buffer): Promise<void> {
  const { default: writeFileAtomic } = await import('write-file-atomic')
  await writeFileAtomic(path, data, { mode: 0o600 })
}

export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? join(folder, entry.name) : []))
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

function readRange(fd: number, offset: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const got = readSync(fd, buffer, filled, length - filled, offset + filled)
    if (got === 0) break
    filled += got
  }
  return buffer.subarray(0, filled)
}

function sumBytes(segments: readonly Segment[]): number {
  return segments.reduce((sum, { bytes }) => sum + bytes, 0)
}

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
