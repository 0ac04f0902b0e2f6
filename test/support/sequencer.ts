import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Starts the e2e files first: they take longest, and none should run alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [...sorted.filter(startsProcesses), ...sorted.filter((file) => !startsProcesses(file))]
  }
}

const startsProcesses = ({ project }: TestSpecification): boolean => project.name === 'e2e'
