import { messages } from '../lib/messages.js';
import { useStore } from '../lib/store.js';
import { dismissToast, toasts } from '../lib/toasts.js';
import { Icon } from '../components/icon.js';
import classes from './toast-list.module.css';

/** The toasts on screen. `lib/toasts` announces them to screen readers. */
export function ToastList() {
  const list = useStore(toasts);
  return (
    <div className={classes.list}>
      {list.map((toast) => (
        <div key={toast.id} className={classes.toast} data-kind={toast.kind}>
          <Icon name={toast.kind === 'done' ? 'check' : 'warning'} size={18} />
          <div className={classes.text}>
            {toast.text}
            {toast.requestId && (
              <div className={classes.small}>
                {messages.errors.requestId} <span className="mono">{toast.requestId}</span>
              </div>
            )}
            {toast.more}
          </div>
          <button
            type="button"
            className={classes.close}
            aria-label={messages.actions.dismiss}
            onClick={() => dismissToast(toast.id)}
          >
            <Icon name="cross" size={16} />
          </button>
        </div>
      ))}
    </div>
  );
}
