import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DiskSum } from '../../../batches/cache/disk-sum.ts';

describe('what is free after files are removed', () => {
  it('counts a file once, and frees it with its last name', () => {
    const sum = new DiskSum();
    sum.add({ id: 'a', bytes: 5, names: 2 });
    expect(sum.result()).toEqual({ files: 1, bytes: 5, freed: 0 });
    sum.add({ id: 'a', bytes: 5, names: 2 });
    sum.add(undefined);
    expect(sum.result()).toEqual({ files: 2, bytes: 5, freed: 5 });
  });

  it('is the same whether names are counted before the removal or during it', () => {
    const file = fc.record({ names: fc.integer({ min: 1, max: 4 }), removed: fc.integer({ min: 1, max: 4 }) });
    fc.assert(
      fc.property(fc.array(file), (files) => {
        const [before, during] = [new DiskSum(), new DiskSum()];
        files.forEach(({ names, removed }, at) => {
          for (let name = 0; name < Math.min(names, removed); name++) {
            before.add({ id: String(at), bytes: 7, names });
            during.add({ id: String(at), bytes: 7, names: names - name });
          }
        });
        const freed = files.filter(({ names, removed }) => removed >= names).length * 7;
        expect(before.result()).toMatchObject({ bytes: files.length * 7, freed });
        expect(during.result()).toEqual(before.result());
      }),
    );
  });
});
