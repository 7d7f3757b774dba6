import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import type { ReportBlock, ReportHead } from '../../../contract/report.ts';

/** What is in a report, as a browser unpacks it. */
export interface UnpackedReport {
  readonly html: string;
  readonly head: ReportHead;
  readonly blocks: readonly ReportBlock[];
  /** Everything that is packed in it, as text. */
  readonly text: string;
}

export async function unpackReport(path: string): Promise<UnpackedReport> {
  const html = await readFile(path, 'utf8');
  const packed = (id: string): readonly string[] =>
    (new RegExp(`<template id="${id}">([^<]*)</template>`).exec(html)?.[1] ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => gunzipSync(Buffer.from(line, 'base64')).toString());
  const [head = ''] = packed('report-head');
  const blocks = packed('report-rows');
  return {
    html,
    head: JSON.parse(head) as ReportHead,
    blocks: blocks.map((block) => JSON.parse(block) as ReportBlock),
    text: [head, ...blocks].join('\n'),
  };
}
