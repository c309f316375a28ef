import type { AuditStats } from '#contracts';
import { SimpleGrid } from '@mantine/core';
import { useMemo } from 'react';
import { AgentsChart } from './agents-chart.js';
import { everyBucket } from './chart-scale.js';
import { DecisionChart } from './decision-chart.js';
import { OutcomeChart } from './outcome-chart.js';
import { RiskChart } from './risk-chart.js';

interface Props {
  stats: AuditStats;
  fromMs: number;
  toMs: number;
  onTime: (fromMs: number, toMs: number) => void;
  onAgent: (id: number) => void;
}

/** Four charts: outcomes over time, time to decide, agents, and risk scores with the threshold. */
export default function Charts({ stats, fromMs, toMs, onTime, onAgent }: Props) {
  const buckets = useMemo(() => everyBucket(stats, fromMs, toMs), [stats, fromMs, toMs]);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <OutcomeChart buckets={buckets} bucket={stats.bucket} onTime={onTime} />
      <RiskChart stats={stats} />
      <AgentsChart agents={stats.agents} onAgent={onAgent} />
      <DecisionChart times={stats.decisionTimes} bucket={stats.bucket} />
    </SimpleGrid>
  );
}
