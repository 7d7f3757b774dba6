import { InvalidArgumentError, Option } from 'commander';
import { DEFAULT_THRESHOLD, readThreshold, THRESHOLD_BOUNDS, THRESHOLD_FORM } from '../../contract/verify.ts';

/** What `--verify` was given; `true`: it stands alone. */
export type VerifyValue = string | true;

/** `--verify [threshold]`. `argument`: what the command takes besides, such as `manifest`. */
export function verifyOption(argument: string): Option {
  const words =
    'Transcribe each speech result and compare it with its text; a share of wrong words ' +
    `from ${String(THRESHOLD_BOUNDS.least)} to ${String(THRESHOLD_BOUNDS.most)} may be given (default: ${String(DEFAULT_THRESHOLD)})`;
  return new Option('--verify [threshold]', words).argParser((value) => {
    if (readThreshold(value) !== undefined) return value;
    // The flag also stands without a value, so that it takes an argument after it for one.
    throw new InvalidArgumentError(
      `expected ${THRESHOLD_FORM}. The ${argument} goes before --verify, or after --verify=true.`,
    );
  });
}

/** The value as a cell of the `verify` column. */
export function verifyCell(value: VerifyValue | undefined): string | undefined {
  return value === true ? 'true' : value;
}
