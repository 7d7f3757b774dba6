import { type AttemptState, wasAccepted } from '../../contract/outcomes.ts';
import { linkOf, makesJob, operationOf, stepsIn, type RowSpec, type Step } from '../../contract/row-kinds.ts';

/** A request of the row, as far as it matters here. */
export interface LaterRequest {
  readonly step: Step;
  readonly take: number;
  readonly state: AttemptState;
}

/**
 * Whether the result of a step can be taken from the store without its job: it never has one, or no later step needs
 * the link of that job any more. `requests`: those of the row.
 */
export function isTakenWithoutJob(
  spec: RowSpec,
  { step, take }: Pick<LaterRequest, 'step' | 'take'>,
  tts: Parameters<typeof operationOf>[2],
  requests: readonly LaterRequest[] = [],
): boolean {
  if (!makesJob(operationOf(spec, step, tts))) return step !== 'voice';
  const wasSent = (later: Step): boolean =>
    requests.some((one) => one.step === later && one.take === take && wasAccepted(one.state));
  return stepsIn(spec).every((later) => linkOf(spec.kind, later)?.of !== step || wasSent(later));
}
