// The table of everything a script can do. An action that is not possible where a script has got to is passed over, so that any
// part of a script is a script.
import type { Action } from './action.ts'
import { sessionActions } from './session-actions.ts'
import { turnActions } from './turn-actions.ts'

export type ActionName = keyof typeof turnActions | keyof typeof sessionActions

export const actions: Readonly<Record<ActionName, Action>> = { ...turnActions, ...sessionActions }
