/** Inserts a request's batch, bound as JSON after the project's id, into the events table, with one unchecked statement. */
export const INSERT = `
  insert into events (project_id, event_id, timestamp, uuid, identity, properties)
  select ?, length(value ->> 'event'), unixepoch(value ->> 'timestamp', 'subsec') * 1000,
         unhex(replace(value ->> 'uuid', '-', '')), substr(value ->> 'distinct_id', length('user-') + 1),
         jsonb(value -> 'properties')
  from json_each(?, '$.batch')`
