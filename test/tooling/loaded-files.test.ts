import { beforeAll, describe, expect, it } from '@jest/globals';
import { freshFolder } from '../support/fresh-folder.ts';
import { complaintAbout, COUNTED, type Counted, countLoaded, type LoadedFiles, readList } from './loaded-files.ts';

/** What `status` and `plan` may load in the end; `loaded-files.txt` may say less. */
const MOST = { status: 120, plan: 180 };

describe('the files that a command loads', () => {
  const listed = readList();
  let loaded: LoadedFiles;
  beforeAll(async () => {
    loaded = await countLoaded(freshFolder());
  });

  it.each(Object.keys(COUNTED) as Counted[])('are not more than before: %s', (name) => {
    expect(loaded[name]).toContain('starters/cli.ts');
    expect(complaintAbout(name, loaded[name], listed[name])).toBeUndefined();
  });

  it('are few where a command only looks', () => {
    expect(listed.status.length).toBeLessThanOrEqual(MOST.status);
    expect(listed.plan.length).toBeLessThanOrEqual(MOST.plan);
  });

  it('are for plan those that the manifest needs: no workbook, cast, sound, media, bucket or database server', () => {
    const needless = /^(inputs|store|ledger|results)[/](.*[/])?(workbook|cast|sound|media|s3|postgres)[/]/;
    expect(loaded.plan.filter((file) => needless.test(file))).toEqual([]);
  });

  it('are named if they are new', () => {
    const more = [...listed.status.slice(1), 'ledger/new.ts', 'api/new.ts'];
    expect(complaintAbout('status', more, listed.status)).toMatch(
      new RegExp(
        `loads ${String(more.length)} .* may load ${String(more.length - 1)}[.] New: ledger/new.ts, api/new.ts[.]`,
      ),
    );
  });
});
