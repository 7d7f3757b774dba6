import { expect, it } from '@jest/globals';
import { checkManifest, type CheckedManifest } from '../../inputs/read-manifest.ts';
import { openManifest } from '../../inputs/manifest-source.ts';
import { OPTIONS, withManifest } from './manifest-file.ts';

async function check(content: string, budget: number | null = null): Promise<CheckedManifest> {
  return withManifest(content, async (path) => checkManifest(await openManifest(path), OPTIONS, budget));
}

it('tells a sound manifest, with its bill and what it was read with', async () => {
  const checked = await check('id,text,voice\na,Hello,narrator\n', 1_000);
  expect(checked).toMatchObject({ type: 'sound', options: OPTIONS, summary: { rows: 1, affordable: { rows: 1 } } });
});

it('tells a manifest with faults, with all of them', async () => {
  const checked = await check('id,text,voice\na,,narrator\nb,Hello,\n');
  expect(checked).toMatchObject({ type: 'faulty', summary: { problemCount: 2 } });
});

it('tells an outcome file and its batch, also where cells of it are wrong', async () => {
  const lines = 'id,text,voice,_batch,_row\na,,narrator,demo,1\n';
  expect(await check(lines)).toEqual({ type: 'outcome-file', batch: 'demo' });
});

it('tells an outcome file whose columns mean something only under the --map of its batch', async () => {
  const lines = 'Skript,Stimme,_batch,_row,_outcome\nHallo,narrator,demo,1,failed\n';
  expect(await check(lines)).toEqual({ type: 'outcome-file', batch: 'demo' });
});

it('takes a file with rows of several batches for a faulty one', async () => {
  const lines = 'id,text,voice,_batch,_row\na,One,narrator,demo,1\nb,Two,narrator,other,1\n';
  const checked = await check(lines);
  expect(checked).toMatchObject({ type: 'faulty', summary: { problems: [{ code: 'mixed-batches' }] } });
});
