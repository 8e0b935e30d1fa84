// Adds up vitest's JSON report. A test file that could not even be loaded holds no tests, and an error outside any test fails
// the run without failing a test: both must show as failures, never as silence.
import { existsSync, readFileSync } from 'node:fs'

export function countResults(reportPath, exitedOk) {
  if (!existsSync(reportPath)) return { passed: 0, failed: 1, skipped: 0 }
  const report = JSON.parse(readFileSync(reportPath, 'utf8'))
  const brokenFiles = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length
  const failed = report.numFailedTests + brokenFiles
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && !exitedOk ? 1 : failed,
    skipped: report.numPendingTests + (report.numTodoTests ?? 0),
  }
}
