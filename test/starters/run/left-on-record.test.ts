import { describe, expect, it } from '@jest/globals';
import { ExitError } from '../../../starters/exit-error.ts';
import { withLeftOnRecord } from '../../../starters/run/work-on-batch.ts';

describe('a start that is refused after its batch was recorded', () => {
  it('says that the batch is there, and how to take it back', () => {
    const error = withLeftOnRecord(new ExitError('unreachable', 'Temporal cannot be reached.'), { name: 'my lines' });
    expect(error.exit).toBe('unreachable');
    expect(error.message).toMatch(/^Temporal cannot be reached\.\nBatch "my lines" is recorded/);
    expect(error.message).toMatch(/voxbatch stop 'my lines'$/);
  });
});
