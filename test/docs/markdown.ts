/** A Markdown table. A bar within a cell is escaped. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  const escaped = rows.map((cells) => cells.map((cell) => cell.replaceAll('|', String.raw`\|`)));
  return `${line(titles)}|${'---|'.repeat(titles.length)}\n${escaped.map(line).join('')}`;
}

/** A picture that GitHub draws from its description. */
export function mermaid(lines: readonly string[]): string {
  return `\`\`\`mermaid\n${lines.join('\n')}\n\`\`\`\n`;
}
