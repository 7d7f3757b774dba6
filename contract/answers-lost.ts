/**
 * Thrown when a fault stops a worker before it could record answers to paid requests. `fault`: what stopped it;
 * `count`: the number of lost answers.
 */
export class AnswersLost extends Error {
  constructor(fault: Error, count: number) {
    const [answers, are, rows] = count === 1 ? ['answer', 'is', 'Its row ends'] : ['answers', 'are', 'Their rows end'];
    super(
      `${fault.message}\n${String(count)} paid ${answers} could not be kept, and ${are} lost. ${rows} \`unknown\`, unless the job is found in the account's list.`,
      { cause: fault },
    );
    this.name = 'AnswersLost';
  }
}
