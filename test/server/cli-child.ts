// The command line as a process of its own, straight from the sources.
import { main } from '../../src/cli/main.ts'

await main()
