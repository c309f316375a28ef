import { useId, useState, type ReactNode } from 'react';
import { Card } from '../../components/page.js';
import { messages } from './messages.js';
import classes from './charts.module.css';

interface Props {
  title: string;
  empty: boolean;
  legend?: ReactNode;
  chart: ReactNode;
  /** The same figures as a table. */
  table: { columns: readonly string[]; rows: readonly { key: string; cells: readonly ReactNode[] }[] };
}

/** A question, answered by a chart or a table. */
export function ChartFrame({ title, empty, legend, chart, table }: Props) {
  const [asTable, setAsTable] = useState(false);
  const id = useId();
  return (
    <Card>
      <div className={classes.frame}>
        <div className={classes.head}>
          <h2 id={id} className={classes.title}>
            {title}
          </h2>
          {!empty && (
            <button
              type="button"
              className={classes.toggle}
              aria-pressed={asTable}
              onClick={() => setAsTable(!asTable)}
            >
              {asTable ? messages.charts.chart : messages.charts.table}
              <span className="visually-hidden">: {title}</span>
            </button>
          )}
        </div>
        {empty ? (
          <p className={classes.empty}>{messages.charts.empty}</p>
        ) : asTable ? (
          <div className={classes.tableBox} tabIndex={0} role="region" aria-labelledby={id}>
            <table className={classes.table}>
              <thead>
                <tr>
                  {table.columns.map((column) => (
                    <th key={column} scope="col">
                      {column}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {table.rows.map(({ key, cells }) => (
                  <tr key={key}>
                    {cells.map((cell, index) =>
                      index === 0 ? (
                        <th key={index} scope="row">
                          {cell}
                        </th>
                      ) : (
                        <td key={index}>{cell}</td>
                      ),
                    )}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        ) : (
          <>
            {legend}
            {chart}
          </>
        )}
      </div>
    </Card>
  );
}

/** The legend of the colours. */
export function Legend({ items }: { items: readonly { tone: string; label: string }[] }) {
  return (
    <div className={classes.legend} aria-hidden="true">
      {items.map(({ tone, label }) => (
        <span key={tone}>
          <i data-tone={tone} />
          {label}
        </span>
      ))}
    </div>
  );
}
