import { describe, expect, it } from '@jest/globals';
import { ExitError } from '../../../starters/exit-error.ts';
import { withLeftOnRecord, withReopened } from '../../../starters/run/work-on-batch.ts';

describe('a start that is refused after its batch was recorded', () => {
  it('says that the batch is there, and how to take it back', () => {
    const error = withLeftOnRecord(new ExitError('unreachable', 'Temporal cannot be reached.'), { name: 'my lines' });
    expect(error.exit).toBe('unreachable');
    expect(error.message).toMatch(/^Temporal cannot be reached\.\nBatch "my lines" is recorded/);
    expect(error.message).toMatch(/workers that run on this ledger pay for them/);
    expect(error.message).toMatch(/voxbatch stop 'my lines'$/);
  });

  it('says of rows that were opened again that they are paid for, and not to do it once more', () => {
    const refused = new ExitError('unreachable', 'Nothing was sent. Run the same command again.');
    const error = withReopened(refused, new Error('Another server has it.'), { name: 'my lines' });
    expect(error).toMatchObject({ exit: 'unreachable', next: "voxbatch watch 'my lines'" });
    expect(error.message).toMatch(/^Another server has it\.\nThe rows are recorded as open in batch "my lines"/);
    expect(error.message).toMatch(/pay for them.*Do not repeat this command.*voxbatch watch 'my lines'/);
    expect(error.message).not.toMatch(/Nothing was sent|same command again/);
  });
});
