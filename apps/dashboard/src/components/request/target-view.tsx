import { Box, Paper } from '@mantine/core';
import { QueryTable, RequestLine } from './request-view.js';
import classes from './request.module.css';

/** Method, URL and query of a request. An audit record contains nothing else of the request. */
export function TargetView({ method, targetUrl }: { method: string; targetUrl: string }) {
  return (
    <Paper withBorder bg="var(--agw-sunken)" className={classes.box}>
      <Box px="md" py={9}>
        <RequestLine method={method} targetUrl={targetUrl} />
      </Box>
      <QueryTable targetUrl={targetUrl} />
    </Paper>
  );
}
