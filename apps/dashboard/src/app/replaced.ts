import { useEffect } from 'react';

/** Whether the gateway now serves another version of the dashboard than this tab runs. */
export async function isReplaced(): Promise<boolean> {
  const own = new URL(document.querySelector<HTMLScriptElement>('script[type=module]')!.src).pathname;
  const response = await fetch(import.meta.env.BASE_URL, { cache: 'no-store' });
  return response.ok && !(await response.text()).includes(own);
}

/**
 * Use this where an error is shown in place of a page. A new version does not have the files of the old one, so an open
 * tab may lack the code of a page. The failed page has no input to lose, so the tab loads the new version. It reloads
 * at most once, because the new version is not outdated.
 */
export function useReloadIfReplaced(): void {
  useEffect(() => {
    isReplaced().then(
      (replaced) => replaced && location.reload(),
      () => {},
    );
  }, []);
}
