/** Copies text. navigator.clipboard exists only in secure contexts, so plain http uses the old copy command. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.style.position = 'fixed';
    area.style.opacity = '0';
    // Inside an open dialog, because its focus trap would take the focus back.
    (document.querySelector('[aria-modal=true]') ?? document.body).append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    return copied;
  }
}
