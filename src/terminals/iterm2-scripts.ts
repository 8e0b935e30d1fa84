// The AppleScripts for iTerm2. They are constants: every value comes in as an argument, so nothing has to be quoted. Each looks
// first whether iTerm2 runs, since `tell` alone would start it.

const whenRunning = (body: string) => `on run argv
  if application "iTerm2" is not running then return "not running"
${body}
end run
`

/** There is no direct way to a session: all are looked through by their id, which is never used again. */
const withSession = (body: string) =>
  whenRunning(`  tell application "iTerm2"
    repeat with aWindow in windows
      repeat with aTab in tabs of aWindow
        repeat with aSession in sessions of aTab
          if (id of aSession as text) is (item 1 of argv) then
${body}
          end if
        end repeat
      end repeat
    end repeat
  end tell
  return "gone"`)

const openIn = (make: string) =>
  whenRunning(`  tell application "iTerm2"
${make}
    tell aSession to set name to (text 2 thru -1 of (item 2 of argv))
    return "ok " & (id of aSession as text)
  end tell`)

const newWindow = `    set aWindow to (create window with default profile command (item 1 of argv))
    set aSession to current session of aWindow`

export const iterm2Scripts = {
  version: whenRunning('  return "ok " & (version of application "iTerm2")'),
  /** 1: the command, 2: `=` and the title. */
  openWindow: openIn(newWindow),
  openTab: openIn(`    if (count of windows) is 0 then
${newWindow.replace(/^/gm, '  ')}
    else
      tell current window to set aTab to (create tab with default profile command (item 1 of argv))
      set aSession to current session of aTab
    end if`),
  openSplit: openIn(`    if (count of windows) is 0 then
${newWindow.replace(/^/gm, '  ')}
    else
      tell current session of current window
        set aSession to (split vertically with default profile command (item 1 of argv))
      end tell
    end if`),
  /** 1: the session's id. */
  find: withSession('            return "ok"'),
  /** 1: the session's id, 2: `=` and what to write, as it is. */
  write: withSession(`            tell aSession to write text (text 2 thru -1 of (item 2 of argv)) newline NO
            return "ok"`),
  read: withSession('            return "ok" & linefeed & (name of aSession) & linefeed & (contents of aSession)'),
  focus: withSession(`            select aWindow
            tell aTab to select
            tell aSession to select
            activate
            return "ok"`),
  close: withSession(`            close aSession
            return "ok"`),
} as const

export type Iterm2Script = keyof typeof iterm2Scripts
