// Sessions and workers as answers hold them: the shapes of every face, with texts made safe and short.
import type { CatalogSession } from '../../model/catalog.ts'
import { renderSession, sessionAddress } from '../../model/render.ts'
import { renderWorker } from '../../model/render-worker.ts'
import type { Worker } from '../../model/worker.ts'
import type { Redactor } from '../../redact/redact.ts'
import { safeText, safeValue } from './safe-text.ts'
import { shorten } from './size.ts'

const titleLength = 160

export async function toSession(session: CatalogSession, redactor: Redactor) {
  const { parent, bytes: _, ...rest } = renderSession(session)
  return {
    ...rest,
    address: sessionAddress(session),
    title: await safeText(redactor, session.title, titleLength),
    parent,
  }
}

export async function toWorker(worker: Worker, redactor: Redactor) {
  const { settings, ...rest } = renderWorker(worker)
  const { env: _, ...said } = settings
  return shorten(await safeValue(redactor, { ...rest, settings: said }), { items: 20, characters: 400 }) as typeof rest
}
