// `/model`: which model a tab's next turns use. `default` leaves it to the agent again.
import { cleanLine } from '../../lib/text/clean.ts'
import { modelNameProblem } from '../../model/model-name.ts'
import type { TuiState } from '../state.ts'
import type { Tab } from '../state-tab.ts'
import { changeTab, type Step, say, stay } from './step.ts'

const agentsOwn = 'default'

/** `name` null: it is only asked which one it is. */
export function chooseModel(state: TuiState, cleared: TuiState, tab: Tab, name: string | null): Step {
  if (name === null) return stay(say(cleared, describeModel(tab)))
  const problem = modelNameProblem(name)
  if (problem !== null) return stay(say(state, problem, 'error', '/model default leaves it to the agent.'))
  const model = { name: name === agentsOwn ? null : name }
  const next = changeTab(cleared, tab.id, (each) => ({ ...each, model }))
  return stay(say(next, describeModel({ ...tab, model })), { kind: 'remember' })
}

function describeModel({ model, modelSeen }: Pick<Tab, 'model' | 'modelSeen'>): string {
  if (model?.name != null) return `The next turn uses ${model.name}.`
  const so = modelSeen === null ? '' : `; so far it was ${cleanLine(modelSeen)}`
  return model === null && modelSeen !== null
    ? `The next turn goes on with ${cleanLine(modelSeen)}, unless the agent chooses another one.`
    : `The next turn uses the model the agent chooses${so}.`
}
