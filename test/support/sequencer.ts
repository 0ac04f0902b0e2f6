import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Starts the files that take long first, so that none of them runs alone at the end: those that start processes. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [...sorted.filter(startsProcesses), ...sorted.filter((file) => !startsProcesses(file))]
  }
}

const startsProcesses = ({ project }: TestSpecification): boolean => project.name === 'e2e'
