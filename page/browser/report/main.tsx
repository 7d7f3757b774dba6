import { render } from 'preact';
import { readBlocks, readHead, ReportRows } from './report-rows.ts';
import { Report } from './report.tsx';

const root = document.getElementById('page');

async function showReport(into: Element): Promise<void> {
  const head = await readHead();
  const rows = new ReportRows();
  const draw = (): void => {
    render(<Report head={head} rows={rows} known={rows.length} />, into);
  };
  into.replaceChildren();
  draw();
  // Drawn after the first block, so that rows are seen early, and then at the end: each drawing searches all rows.
  for await (const block of readBlocks()) {
    rows.add(block);
    if (rows.length === block.row.length) draw();
  }
  draw();
}

if (root !== null) {
  showReport(root).catch((error: unknown) => {
    root.textContent = `This report cannot be read here: ${String(error)}. It needs a browser of 2023 or later.`;
  });
}
