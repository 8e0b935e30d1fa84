// A temporary home with Claude files and git repositories, and an app on it: real readers, real git, real SQLite.
import { type App, type AppOptions, createApp } from '../../src/app.ts'
import { type Sandbox as CatalogSandbox, createSandbox as createCatalogSandbox } from '../../src/catalog/sandbox.testkit.ts'

export interface Sandbox extends CatalogSandbox {
  app(options?: Partial<AppOptions>): App
}

export function createSandbox(): Sandbox {
  const sandbox = createCatalogSandbox()
  const apps: App[] = []
  return {
    ...sandbox,
    app(options = {}) {
      const vars = { PATH: process.env.PATH, HOME: sandbox.home, OFFSHOOT_HOME: sandbox.offshootHome, ...options.vars }
      let clock = Date.now()
      const now = () => (clock += 1)
      const app = createApp({ home: sandbox.home, cwd: sandbox.root, now, ...options, vars })
      apps.push(app)
      return app
    },
    close() {
      for (const app of apps) app.close()
      sandbox.close()
    },
  }
}
