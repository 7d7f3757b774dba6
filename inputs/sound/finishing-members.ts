import * as z from 'zod';
import { faultOfFinishing, FINISHED_FORMATS } from '../../contract/finishing.ts';

/** How copies are finished, as the config file and the record of a schedule have it. */
export const FINISHING = z
  .strictObject({
    loudness: z.number().exactOptional(),
    trimSilence: z.boolean().exactOptional(),
    sampleRate: z.number().exactOptional(),
    format: z.enum(FINISHED_FORMATS).exactOptional(),
  })
  .superRefine((given, context) => {
    const fault = faultOfFinishing(given);
    if (fault === undefined) return;
    const { option, expected } = fault;
    context.addIssue({ code: 'custom', path: [option], message: `expected ${expected}`, input: given[option] });
  });
