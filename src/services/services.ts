// Which manager keeps services here.
import { createLaunchd } from './launchd.ts'
import { noManager } from './no-manager.ts'
import type { ServiceManager, ServiceOptions } from './service.ts'
import { createSystemd } from './systemd.ts'

export function findManager(platform: NodeJS.Platform, options: ServiceOptions): ServiceManager {
  if (platform === 'darwin') return createLaunchd(options)
  if (platform === 'linux') return createSystemd(options)
  throw noManager(`offshoot knows launchd and systemd, and this is ${platform}`)
}
