import { takeStep, type LimiterAnswer, type LimiterStep } from '../../../policy/pacing/limiter-step.ts';

/** What a ledger does for limiters, without one. */
export function limiterInMemory(): <Step extends LimiterStep>(
  scope: string,
  step: Step,
) => Promise<LimiterAnswer<Step>> {
  const states = new Map<string, unknown>();
  return (scope, step) => {
    const { state, result } = takeStep(states.get(scope), step);
    states.set(scope, state);
    return Promise.resolve(result as LimiterAnswer<typeof step>);
  };
}
