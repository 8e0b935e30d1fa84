// What an agent asks the person to know, not for leave: questions with options, free words, or both. Pure.

export interface Question {
  /** What its answer is given under: the agent's own id of it, or its text where it has none. */
  readonly key: string
  readonly text: string
  readonly options: readonly QuestionOption[]
  /** Several options may be chosen. */
  readonly isMultiple: boolean
  /** Own words are taken too, not only one of the options. */
  readonly takesText: boolean
  /** The others may be left out. */
  readonly isRequired: boolean
  /** The answer is not to be shown while it is typed. */
  readonly isSecret: boolean
}

export interface QuestionOption {
  readonly label: string
  readonly description: string | null
}
