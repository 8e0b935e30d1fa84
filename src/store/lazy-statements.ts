// Statements that are prepared when they are first run. There are a hundred and fifty, a command uses a dozen, and to prepare
// them all takes as long as a search.
import type Sqlite from 'better-sqlite3'
import type { Database } from './open.ts'

type Statement = Sqlite.Statement<unknown[], unknown>

/** The same database; only `prepare` waits. */
export function withLazyStatements(db: Database): Database {
  const prepare = (sql: string) => new LazyStatement(db, sql)
  return Object.create(db, { prepare: { value: prepare } }) as Database
}

/** As much of a statement as the tables use. */
class LazyStatement {
  readonly #make: () => Statement
  #made: Statement | undefined
  #isPlucked = false
  #isRaw = false

  constructor(db: Database, sql: string) {
    this.#make = () => {
      const made = db.prepare<unknown[], unknown>(sql)
      if (this.#isPlucked) made.pluck()
      if (this.#isRaw) made.raw()
      return made
    }
  }

  pluck(): this {
    this.#isPlucked = true
    return this
  }

  raw(): this {
    this.#isRaw = true
    return this
  }

  run(...values: unknown[]) {
    return this.#statement.run(...values)
  }

  get(...values: unknown[]) {
    return this.#statement.get(...values)
  }

  all(...values: unknown[]) {
    return this.#statement.all(...values)
  }

  iterate(...values: unknown[]) {
    return this.#statement.iterate(...values)
  }

  get #statement(): Statement {
    this.#made ??= this.#make()
    return this.#made
  }
}
