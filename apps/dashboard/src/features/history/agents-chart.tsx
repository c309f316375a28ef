import type { AgentOutcomes } from '#contracts';
import { number } from '../../lib/format.js';
import { ChartFrame, Legend } from './chart-frame.js';
import classes from './charts.module.css';
import { messages } from './messages.js';

const text = messages.charts;
const STACK = ['forwarded', 'held', 'refused'] as const;

/** The agents with the most requests. A name links to the requests of that agent. */
export function AgentsChart({ agents, onAgent }: { agents: readonly AgentOutcomes[]; onAgent: (id: number) => void }) {
  const rows = agents.map((each) => ({ ...each, all: STACK.reduce((sum, key) => sum + each[key], 0) }));
  const top = Math.max(1, ...rows.map(({ all }) => all));
  const name = ({ id, name }: AgentOutcomes['agent']) =>
    id === null ? (
      <span>{name}</span>
    ) : (
      <button type="button" className={classes.link} aria-label={text.onlyAgent(name)} onClick={() => onAgent(id)}>
        {name}
      </button>
    );
  return (
    <ChartFrame
      title={text.agents}
      empty={rows.length === 0}
      legend={<Legend items={STACK.map((tone) => ({ tone, label: messages.outcomes[tone] }))} />}
      chart={
        <ul className={classes.bars}>
          {rows.map((row) => (
            <li key={`${row.agent.id}-${row.agent.name}`}>
              <span className={classes.barName}>{name(row.agent)}</span>
              <span
                className={classes.barTrack}
                title={STACK.map((key) => `${messages.outcomes[key]} ${row[key]}`).join(', ')}
              >
                {STACK.map((key) => (
                  <span key={key} data-tone={key} style={{ inlineSize: `${(row[key] / top) * 100}%` }} />
                ))}
              </span>
              <span className={classes.barFigure}>{number(row.all)}</span>
            </li>
          ))}
        </ul>
      }
      table={{
        columns: [text.agent, ...STACK.map((key) => messages.outcomes[key])],
        rows: rows.map((row) => ({
          key: `${row.agent.id}-${row.agent.name}`,
          cells: [name(row.agent), ...STACK.map((key) => number(row[key]))],
        })),
      }}
    />
  );
}
