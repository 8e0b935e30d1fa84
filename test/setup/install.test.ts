import { expect, test } from 'vitest'
// @ts-expect-error a plain script without types
import { explainFailure } from '../../scripts/install.mjs'

const gypOutput = 'npm error gyp ERR! find Python\nnpm error gyp ERR! not ok'

test('without a toolchain, says what is missing and how to get it, and spares the person the rest', () => {
  const text = explainFailure('npm ci failed', gypOutput, (name: string) => name === 'make')
  expect(text).toMatch(/^npm ci failed\. Not found: python3, g\+\+\.\n/)
  expect(text).toContain('apt-get install python3 make g++')
  expect(text).not.toContain('gyp ERR')
})

test('any C++ compiler will do; when all is there, what the compiler said comes first', () => {
  const text = explainFailure('npm ci failed', gypOutput, (name: string) => name !== 'g++' && name !== 'c++')
  expect(text).toMatch(/^npm ci failed:\nnpm error gyp ERR! find Python/)
})

test('any other failure is shown as it is', () => {
  expect(explainFailure('npm ci failed', 'npm error code E404')).toBe('npm ci failed:\nnpm error code E404')
})
