/** Copies text, with the clipboard's own interface or, where the page may not use it, through a selection. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    return;
  } catch {
    // Refused by a permission or because the window has no focus: the older way needs neither.
  }
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'sr';
  area.setAttribute('aria-hidden', 'true');
  document.body.append(area);
  const before = document.activeElement;
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  if (!copied) throw new Error('the system did not take the text');
}
