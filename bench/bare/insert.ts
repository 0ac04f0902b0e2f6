/**
 * SQL that inserts the batch of a request into the events table, without any check. It binds the project's id, then the
 * request's body as JSON. Looking up ids would take more queries: the length of an event's name stands in for the name's id.
 */
export const INSERT = `
  insert into events (project_id, event_id, timestamp, uuid, identity, properties)
  select ?, length(value ->> 'event'), unixepoch(value ->> 'timestamp', 'subsec') * 1000,
         unhex(replace(value ->> 'uuid', '-', '')), substr(value ->> 'distinct_id', length('user-') + 1),
         jsonb(value -> 'properties')
  from json_each(?, '$.batch')`
