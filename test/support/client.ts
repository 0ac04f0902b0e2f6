// Made from /openapi.json by test/unit/openapi.test.ts.
export interface paths {
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process runs */
        get: operations["livez"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the databases and what else is needed are in order */
        get: operations["readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Capture a batch of events
         * @description Takes one event, an array of them, or a batch, as every door for events does. The body may be plain JSON, gzip, base64, or a form with one of these in `data`; its bytes tell which. At most 10000000 bytes. The answer comes when the events are safe. With GET the body is the query's `data`.
         */
        post: operations["batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/e": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Capture events of a browser
         * @description Takes one event, an array of them, or a batch, as every door for events does. The body may be plain JSON, gzip, base64, or a form with one of these in `data`; its bytes tell which. At most 10000000 bytes. The answer comes when the events are safe. With GET the body is the query's `data`.
         */
        post: operations["e"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/i/v0/e": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Capture events
         * @description Takes one event, an array of them, or a batch, as every door for events does. The body may be plain JSON, gzip, base64, or a form with one of these in `data`; its bytes tell which. At most 10000000 bytes. The answer comes when the events are safe. With GET the body is the query's `data`.
         */
        post: operations["i_v0_e"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/capture": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Capture events of older SDKs
         * @description Takes one event, an array of them, or a batch, as every door for events does. The body may be plain JSON, gzip, base64, or a form with one of these in `data`; its bytes tell which. At most 10000000 bytes. The answer comes when the events are safe. With GET the body is the query's `data`.
         */
        post: operations["capture"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/track": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Capture events of the oldest SDKs
         * @description Takes one event, an array of them, or a batch, as every door for events does. The body may be plain JSON, gzip, base64, or a form with one of these in `data`; its bytes tell which. At most 10000000 bytes. The answer comes when the events are safe. With GET the body is the query's `data`.
         */
        post: operations["track"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/engage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set properties of a person, for the oldest SDKs
         * @description Takes one event, an array of them, or a batch, as every door for events does. The body may be plain JSON, gzip, base64, or a form with one of these in `data`; its bytes tell which. At most 10000000 bytes. The answer comes when the events are safe. With GET the body is the query's `data`.
         */
        post: operations["engage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Session recordings
         * @description Takes the snapshots of one session or more, at most 100 events with them. The body may be plain JSON, gzip, base64, or a form with one of these in `data`; its bytes tell which. At most 10000000 bytes. The answer comes when they are safe. What there is of a deleted recording is answered as everything else, and not kept.
         */
        post: operations["s"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/flags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Feature flags
         * @description There are no feature flags: SDKs are told so in the shape of the version that they ask for. The body may be plain JSON, gzip, base64, or a form with one of these in `data`; its bytes tell which. At most 10000000 bytes.
         */
        post: operations["flags"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/decide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Feature flags and configuration, for older SDKs
         * @description There are no feature flags: SDKs are told so in the shape of the version that they ask for. The body may be plain JSON, gzip, base64, or a form with one of these in `data`; its bytes tell which. At most 10000000 bytes.
         */
        post: operations["decide"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/array/{token}/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Configuration of a browser SDK */
        get: operations["array_config"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/array/{token}/config.js": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Configuration of a browser SDK, as a script */
        get: operations["array_config_js"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/surveys/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Surveys of a browser SDK */
        get: operations["surveys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description */
        get: operations["openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description, to read and try */
        get: operations["docs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/unsubscribe/{ticket}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ask whether to unsubscribe
         * @description What the link in an e-mail opens. It changes nothing: mail filters open links, too.
         */
        get: operations["unsubscribe_page"];
        put?: never;
        /**
         * Unsubscribe
         * @description Takes the address of the link off its subscription, without a key; the last one deletes it. Mail programs ask for it by RFC 8058, in one click. Done twice it is done.
         */
        post: operations["unsubscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shared/{access_token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A shared recording
         * @description Asks for no key while sharing is enabled. Nothing is said of whose the recording is; another token, and one that is no longer enabled, are the same 404.
         */
        get: operations["shared"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shared/{access_token}/snapshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The snapshots of a shared recording
         * @description As of `/api/environments/{project_id}/session_recordings/{id}/snapshots/`.
         */
        get: operations["shared_snapshots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/activity/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was done to all persons
         * @description Newest first, with the entries of deleted persons, which have lost their properties' values.
         *
         *     Needs the scope `activity_log:read`.
         */
        get: operations["persons_activity_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/{id}/activity/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was done to a person
         * @description Newest first: changes through the API, with the user and the key, and merges by events.
         *
         *     Needs the scope `activity_log:read`.
         */
        get: operations["persons_activity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a person
         * @description Needs the scope `person:read`.
         */
        get: operations["persons_retrieve"];
        put?: never;
        post?: never;
        /**
         * Delete a person
         * @description The person, the distinct ids and the history of the properties go at once; events that were accepted until then and are still on their way do not bring them back. Without `delete_events` the events stay and count as those of one person without a name; what their own properties say stays with them, for good. Without `delete_recordings` the recordings stay too, as those of nobody. A distinct id that is used again starts a new person.
         *
         *     Needs the scope `person:write`.
         */
        delete: operations["persons_delete"];
        options?: never;
        head?: never;
        /**
         * Update a person
         * @description Sets the given properties, also to null, and keeps the others. It wins over whatever was set before, also if that arrives later.
         *
         *     Needs the scope `person:write`.
         */
        patch: operations["persons_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/persons/bulk_delete/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete many persons
         * @description Up to 1000 persons, by `ids` or by `distinct_ids`, in one transaction, as if each had been deleted by itself. Who is not there is told and no error. `delete_events` and `delete_recordings` count in the body, else in the query.
         *
         *     Needs the scope `person:write`.
         */
        post: operations["persons_bulk_delete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/deletion_status/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Deletion tasks and their proofs
         * @description A task for every person that was deleted with `delete_events` or `delete_recordings`, newest first. Events go every Sunday at 05:00 UTC, recordings at once.
         *
         *     Needs the scope `person:read`.
         */
        get: operations["persons_deletion_status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/deletion_receipts/verify/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify the receipt of a deletion
         * @description The body is a receipt as `deletion_status` shows it.
         *
         *     Needs the scope `person:read`.
         */
        post: operations["persons_verify_deletion_receipt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List persons
         * @description Newest first. All filters that are given have to match. CSV has a column for each property that any of the persons has.
         *
         *     Needs the scope `person:read`.
         */
        get: operations["persons_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/{id}/delete_property/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete a property of a person
         * @description The key is `$unset`, in the body or else in the query. A key that the person does not have changes nothing.
         *
         *     Needs the scope `person:write`.
         */
        post: operations["persons_delete_property"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/{id}/split/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Split a person
         * @description Makes a person without properties of each distinct id that leaves; its past events are that person's from now on. The person keeps its properties, and the first distinct id unless others are named. Of one distinct id, nothing is split.
         *
         *     Needs the scope `person:write`.
         */
        post: operations["persons_split"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/{id}/properties_timeline/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a person's properties through time
         * @description The person's state **at each event** in the range: a new point begins with the first event and where a crucial property has changed since the event before. Crucial are the persons' properties that `properties`, the filters of `events` and `breakdown` name; without any there is one point. Dates: `-7d`, `-3h`: so long ago, in `s`, `M` minutes, `h`, `d`, `w`, `m` months, `q` 13 weeks, `y`; with `Start` or `End` (`-1mStart`, `dEnd`) the start or end of that hour, day, month or year; ISO 8601, without an offset on the project’s clock.
         *
         *     At most 50000 events of the person in the range, and points of 4000000 bytes: beyond that it is a 400 `query_too_large` whose `attr` names the limit.
         *
         *     Needs the scope `person:read`.
         */
        get: operations["persons_properties_timeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/insights/trend/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compute a trend that a URL asks for
         * @description The same as `POST`, which says what it is, with any of the forms in the URL.
         *
         *     Needs the scope `insight:read`.
         */
        get: operations["insights_trend_by_url"];
        put?: never;
        /**
         * Compute a trend
         * @description Counts events over time. Nothing is stored. The request is the first of `query` (a TrendsQuery node), `filters` and the flat form that has series; without any the result is empty. What the flat form has may also be in the URL, lists and objects as JSON; the body counts more.
         *
         *     - Maths: `total` `dau` `weekly_active` `monthly_active` `unique_session` `sum` `avg` `min` `max` `median` `p75` `p90` `p95` `p99` `avg_count_per_actor` `min_count_per_actor` `max_count_per_actor` `median_count_per_actor` `p75_count_per_actor` `p90_count_per_actor` `p95_count_per_actor` `p99_count_per_actor` `first_time_for_user` `first_matching_event_for_user`. A percentile lies between the two values around it, in proportion.
         *     - Displays: `ActionsLineGraph` `ActionsLineGraphCumulative` `ActionsAreaGraph` `ActionsBar` `ActionsUnstackedBar` `ActionsStackedBar` `ActionsTable` `ActionsPie` `ActionsDonut` `ActionsBarValue` `WorldMap` `BoldNumber`.
         *     - Dates: `-7d`, `-3h`: so long ago, in `s`, `M` minutes, `h`, `d`, `w`, `m` months, `q` 13 weeks, `y`; with `Start` or `End` (`-1mStart`, `dEnd`) the start or end of that hour, day, month or year; ISO 8601, without an offset on the project’s clock. `all` begins with the first event. A range begins with its first bucket and ends with its last day.
         *     - Buckets follow the project's clock: days have 23 to 25 hours, and an hour that the clock shows twice is two buckets.
         *     - Properties of persons, in filters and breakdowns, are those that they had **at the event**, not those of today; those of sessions are of the whole session.
         *     - The values of a breakdown, `Other` and `None` add up to the whole, for what can be added.
         *     - What is compared with is as many buckets right before, or since `compare_to`.
         *
         *     At most 26 series, 1000 breakdown values (25 unless `breakdown_limit` says otherwise) of at most 100000 different ones, 200000 numbers, and 10000000 events to look at: beyond that it is a 400 `query_too_large` whose `attr` names the limit. Whatever is not known or not supported is a 400 that names it.
         *
         *     Needs the scope `insight:read`.
         */
        post: operations["insights_trend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/insights/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List insights
         * @description Newest first, without those that are deleted.
         *
         *     Needs the scope `insight:read`.
         */
        get: operations["insights_list"];
        put?: never;
        /**
         * Save an insight
         * @description What it asks, in `filters` or `query`, has to be a trend that could be computed.
         *
         *     Needs the scope `insight:write`.
         */
        post: operations["insights_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/insights/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an insight
         * @description Needs the scope `insight:read`.
         */
        get: operations["insights_retrieve"];
        put?: never;
        post?: never;
        /**
         * Delete an insight
         * @description It is hidden: PATCH with `deleted: false` brings it back.
         *
         *     Needs the scope `insight:write`.
         */
        delete: operations["insights_destroy"];
        options?: never;
        head?: never;
        /**
         * Change an insight
         * @description Changes what the body names. `deleted` hides it, and brings it back.
         *
         *     Needs the scope `insight:write`.
         */
        patch: operations["insights_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List dashboards
         * @description Newest first, without those that are deleted, and without their tiles.
         *
         *     Needs the scope `dashboard:read`.
         */
        get: operations["dashboards_list"];
        put?: never;
        /**
         * Create a dashboard
         * @description Insights are put on it by their `dashboards`.
         *
         *     Needs the scope `dashboard:write`.
         */
        post: operations["dashboards_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a dashboard with its tiles
         * @description Needs the scope `dashboard:read`.
         */
        get: operations["dashboards_retrieve"];
        put?: never;
        post?: never;
        /**
         * Delete a dashboard
         * @description It is hidden, its insights stay: PATCH with `deleted: false` brings it back.
         *
         *     Needs the scope `dashboard:write`.
         */
        delete: operations["dashboards_destroy"];
        options?: never;
        head?: never;
        /**
         * Change a dashboard
         * @description Changes what the body names. `deleted` hides it, and brings it back.
         *
         *     Needs the scope `dashboard:write`.
         */
        patch: operations["dashboards_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/session_recordings/ai/filters/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write filters of recordings
         * @description **Experimental.** What the last message asks for as filters of `GET session_recordings/`, also as its query string: durations, days, counts of clicks, key presses and console messages, browsers, systems, devices, countries, pages, events, e-mails and properties, with and, or and not. When any of it is not understood, `result` is `question` and names the words: nothing is left out silently. `person` or `distinct_id` keeps to the recordings of one person, or alone asks for all of them. A model writes the filters where the deployment has one and the list takes them, else built-in rules do; `engine` says which.
         *
         *     Needs the scope `session_recording:read`.
         */
        post: operations["session_recordings_ai_filters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/session_recordings/ai/regex/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write a regular expression
         * @description **Experimental.** From a description, from examples, or both: what starts with, is under, contains, ends with or is any of a text, an e-mail, URL, path, id, uuid, date, version or number. `like …` in the description is an example, `but not …` a counter-example. Of `person` or `distinct_id` alone it is a pattern of that person's ids and URLs.
         *
         *     The pattern is of RE2 syntax, which runs in linear time, is found anywhere in a text, and is tested: it matches all examples and no counter-example. Where there is none, `result` is `error` and `output` says why. A model writes it where the deployment has one and its answer stands the test, else built-in rules do; `engine` says which.
         *
         *     Needs the scope `session_recording:read`.
         */
        post: operations["session_recordings_ai_regex"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/session_recordings/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List recordings
         * @description The newest first, unless `order` says otherwise. All filters that are given have to match.
         *
         *     Filters in `properties` are of type `event` (that is also those without a type), `person`, `session`, `recording` or `event_metadata`, whose key `event` is the name of an event. A filter on events holds when one event of the session fulfils it, and an operator like `is_not` when all do; the same goes for `visited_page`, one of the recording's pages. Persons have the properties of today. Those of sessions are what `GET sessions/property_definitions/` lists, as the session's events make them. The keys of type `recording` are those of `having_predicates`.
         *
         *     Needs the scope `session_recording:read`.
         */
        get: operations["session_recordings_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/session_recordings/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a recording
         * @description Needs the scope `session_recording:read`.
         */
        get: operations["session_recordings_retrieve"];
        put?: never;
        post?: never;
        /**
         * Delete a recording
         * @description It is gone at once for every reader; the queue then removes its snapshots. What SDKs still send of the session is not kept.
         *
         *     Needs the scope `session_recording:write`.
         */
        delete: operations["session_recordings_destroy"];
        options?: never;
        head?: never;
        /**
         * Update a recording
         * @description Gives it to somebody else, or notes that the user whose key asks has viewed it. What is sent back as the recording shows it is no change, so that whole recordings may be sent.
         *
         *     Needs the scope `session_recording:write`.
         */
        patch: operations["session_recordings_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/session_recordings/{id}/snapshots/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The snapshots of a recording
         * @description Without `blob_key`, which parts there are. With it, one part: lines of JSON, each `[window id, snapshot]`, as the SDK has sent them. A snapshot with a `cv` is compressed by the SDK.
         *
         *     Needs the scope `session_recording:read`.
         */
        get: operations["session_recordings_snapshots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/session_recordings/{recording_id}/sharing/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How a recording is shared
         * @description The token is there from the beginning, and always the same until it is refreshed.
         *
         *     Needs the scope `sharing_configuration:read`.
         */
        get: operations["session_recordings_sharing_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Share a recording, or no longer
         * @description Needs the scope `sharing_configuration:write`.
         */
        patch: operations["session_recordings_sharing_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/session_recordings/{recording_id}/sharing/refresh/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a recording another token
         * @description The one before leads nowhere from then on.
         *
         *     Needs the scope `sharing_configuration:write`.
         */
        post: operations["session_recordings_sharing_refresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/subscriptions/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List subscriptions
         * @description Needs the scope `subscription:read`.
         */
        get: operations["subscriptions_list"];
        put?: never;
        /**
         * Create a subscription
         * @description Delivers insights to e-mail addresses, a Slack channel or a webhook, when its schedule says: an iCalendar recurrence on the clock of `timezone`, also after clocks change. An hour that the clock skips becomes the moment after it, and one that it repeats counts once. Of a webhook the answer has the secret that signs its requests, once.
         *
         *     Needs the scope `subscription:write`.
         */
        post: operations["subscriptions_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/subscriptions/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a subscription
         * @description Needs the scope `subscription:read`.
         */
        get: operations["subscriptions_retrieve"];
        put?: never;
        post?: never;
        /**
         * Delete a subscription
         * @description Nothing is delivered any more, not what is under way either. PATCH with `deleted: false` brings it back.
         *
         *     Needs the scope `subscription:write`.
         */
        delete: operations["subscriptions_destroy"];
        options?: never;
        head?: never;
        /**
         * Change a subscription
         * @description Changes what the body names. `deleted` and `paused` stop it and, with `false`, have it go on with the next occurrence. What is due already is delivered.
         *
         *     Needs the scope `subscription:write`.
         */
        patch: operations["subscriptions_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/subscriptions/{id}/preview/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say when it will be delivered
         * @description The next occurrences; of a paused or deleted one those that it would have.
         *
         *     Needs the scope `subscription:read`.
         */
        get: operations["subscriptions_preview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/subscriptions/{id}/deliveries/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was delivered
         * @description Each occurrence once, whatever became of it, and deliveries on trial; the newest first. After 90 days they are left out, but for the last occurrence that arrived.
         *
         *     Needs the scope `subscription:read`.
         */
        get: operations["subscriptions_deliveries_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/subscriptions/{id}/test/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver now, on trial
         * @description To the same recipients, marked as a test. The schedule goes on as if nothing had happened.
         *
         *     Needs the scope `subscription:write`.
         */
        post: operations["subscriptions_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/sessions/property_definitions/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the properties of sessions
         * @description The same for every project, and not in pages. Filters and breakdowns of type `session` take them.
         *
         *     Needs the scope `query:read` or `session_recording:read` or `insight:read`.
         */
        get: operations["sessions_property_definitions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/sessions/values/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the values of a session property
         * @description The 20 values that most sessions have, the most frequent first, with how many those are. Sessions count once they are over, half an hour to an hour after their last event. With `value` it looks among the 600 most frequent values and, if those are all, 600 of those that only one session has; values longer than 400 characters are left out. Numbers and dates have no list: it is empty.
         *
         *     Needs the scope `query:read` or `session_recording:read` or `insight:read`.
         */
        get: operations["sessions_values"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/session_recordings/{id}/analyze/similar/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find recordings of similar sessions
         * @description Compares sessions by what was done in them, in its order: the names of events, and for pages their path, with `:id` for what names one of many things. The similarity of two is the weight of the steps that they have in common in the same order, in proportion to both together and to the lighter one (the geometric mean). Events of the product's own weigh 1.5, pages and screens 1, clicks 0.1; the nth repetition of a step an nth.
         *
         *     Sessions are found half an hour to an hour after their last event, by the pairs of steps that they share: of several hundred candidates the best are answered.
         *
         *     Needs the scope `session_recording:read`.
         */
        get: operations["session_recordings_similar"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The body of every failure. */
        Error: {
            /** @enum {string} */
            type: "authentication_error" | "invalid_request" | "validation_error" | "server_error" | "throttled_error";
            /** @enum {string} */
            code: "not_authenticated" | "authentication_failed" | "permission_denied" | "not_found" | "method_not_allowed" | "unsupported_media_type" | "parse_error" | "request_too_large" | "required" | "null" | "blank" | "invalid_input" | "invalid_choice" | "does_not_exist" | "max_length" | "max_value" | "min_value" | "query_too_large" | "conflict" | "throttled" | "unavailable" | "error";
            /** @description What is wrong, for people. */
            detail: string;
            /** @description The field at fault; nested names are joined with `__`. */
            attr: string | null;
        };
        /**
         * @example {
         *       "id": "0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071",
         *       "user": {
         *         "id": 1,
         *         "first_name": "Grace",
         *         "email": "grace@example.com",
         *         "is_system": false
         *       },
         *       "key": {
         *         "id": 3,
         *         "label": "support"
         *       },
         *       "activity": "updated",
         *       "scope": "Person",
         *       "item_id": "731",
         *       "detail": {
         *         "changes": [
         *           {
         *             "type": "Person",
         *             "action": "changed",
         *             "field": "properties",
         *             "before": {
         *               "plan": "free"
         *             },
         *             "after": {
         *               "plan": "pro"
         *             }
         *           }
         *         ],
         *         "name": null,
         *         "short_id": null,
         *         "trigger": null,
         *         "type": null
         *       },
         *       "created_at": "2026-10-02T10:11:12.345Z"
         *     }
         */
        Activity: {
            /** Format: uuid */
            id: string;
            /** @description Who did it, as they were then. `System` is the service itself: merges by events. */
            user: {
                id: number | null;
                first_name: string;
                email: string | null;
                is_system: boolean;
            };
            /** @description The API key with which it was done. */
            key: {
                id: number;
                label: string;
            } | null;
            /** @enum {string} */
            activity: "updated" | "deleted" | "split_person" | "delete_property" | "merged";
            /** @constant */
            scope: "Person";
            /** @description The person's id at the time; entries of a merged person go along. */
            item_id: string;
            detail: {
                changes: {
                    /** @constant */
                    type: "Person";
                    /** @enum {string} */
                    action: "changed" | "deleted" | "merged" | "split";
                    field: ("properties" | "distinct_ids") | null;
                    /** @description Only what is different after; null for values that were erased. */
                    before: {
                        [key: string]: unknown;
                    } | null;
                    /** @description Of distinct ids, those that are not erased, 10000 at most. */
                    after: {
                        [key: string]: unknown;
                    } | null;
                }[];
                /** @description The person's uuid, where it is told. */
                name: string | null;
                short_id: null;
                trigger: null;
                type: null;
            };
            /**
             * Format: date-time
             * @description UTC.
             */
            created_at: string;
        };
        /**
         * @description A condition on one property; the parameter `properties` explains the operators.
         * @example {
         *       "key": "plan",
         *       "operator": "exact",
         *       "value": [
         *         "pro",
         *         "team"
         *       ]
         *     }
         */
        PropertyFilter: {
            key: string;
            /** @description One value, or a list of which any (for the opposite operators: none) has to match. */
            value?: (string | number | boolean) | (string | number | boolean)[] | null;
            /**
             * @default exact
             * @enum {string}
             */
            operator: "exact" | "in" | "icontains" | "icontains_multi" | "regex" | "is_not" | "not_in" | "not_icontains" | "not_icontains_multi" | "not_regex" | "gt" | "gte" | "lt" | "lte" | "min" | "max" | "between" | "not_between" | "is_set" | "is_not_set" | "is_date_exact" | "is_date_before" | "is_date_after" | "semver_eq" | "semver_neq" | "semver_gt" | "semver_gte" | "semver_lt" | "semver_lte" | "semver_tilde" | "semver_caret" | "semver_wildcard";
            /**
             * @default person
             * @constant
             */
            type: "person";
        };
        /** @description Filters and groups of which all (AND) or any (OR) have to match. */
        PropertyGroup: {
            /**
             * @default AND
             * @enum {string}
             */
            type: "AND" | "OR";
            values: (components["schemas"]["PropertyGroup"] | components["schemas"]["PropertyFilter"])[];
        };
        /** @description At most 40 filters in at most 5 groups inside each other. */
        PropertyFilters: (components["schemas"]["PropertyGroup"] | components["schemas"]["PropertyFilter"])[] | components["schemas"]["PropertyGroup"] | components["schemas"]["PropertyFilter"];
        /**
         * @example {
         *       "id": 731,
         *       "name": "ada@example.com",
         *       "distinct_ids": [
         *         "ada",
         *         "0191a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b"
         *       ],
         *       "properties": {
         *         "email": "ada@example.com",
         *         "plan": "pro"
         *       },
         *       "created_at": "2026-10-02T10:11:12.345Z",
         *       "uuid": "0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071"
         *     }
         */
        Person: {
            id: number;
            /** @description The first of email, name and username that is set, else a distinct id, if possible not an anonymous one. */
            name: string;
            /** @description The anonymous ones last. A list shows at most 100. */
            distinct_ids: string[];
            /**
             * @description There are more than the list shows.
             * @constant
             */
            distinct_ids_truncated?: true;
            properties: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description UTC.
             */
            created_at: string;
            /** Format: uuid */
            uuid: string;
        };
        /**
         * @example {
         *       "properties": {
         *         "plan": "pro"
         *       }
         *     }
         */
        PersonUpdate: {
            /** @description What is to be set; null is a value too. */
            properties: {
                [key: string]: unknown;
            };
        };
        /**
         * @example {
         *       "$unset": "plan"
         *     }
         */
        DeleteProperty: {
            /** @description The key of the property to delete. */
            $unset?: string;
        };
        /**
         * @example {
         *       "success": true
         *     }
         */
        Success: {
            /** @constant */
            success: true;
        };
        /**
         * @example {
         *       "main_distinct_id": "ada"
         *     }
         */
        SplitRequest: {
            /** @description The only distinct id that stays, instead of the first. */
            main_distinct_id?: string | null;
            /** @description The distinct ids that leave, instead of all but one. */
            distinct_ids_to_split?: string[] | null;
        };
        /**
         * @example {
         *       "success": true,
         *       "persons": [
         *         {
         *           "id": 732,
         *           "name": "ada-phone",
         *           "distinct_ids": [
         *             "ada-phone"
         *           ],
         *           "properties": {},
         *           "created_at": "2026-10-02T10:11:12.345Z",
         *           "uuid": "0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6072"
         *         }
         *       ]
         *     }
         */
        Split: {
            /** @constant */
            success: true;
            /** @description The new persons, each with its one distinct id. */
            persons: components["schemas"]["Person"][];
        };
        /**
         * @example {
         *       "count": 1,
         *       "next": null,
         *       "previous": null,
         *       "results": [
         *         {
         *           "id": "0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071",
         *           "user": {
         *             "id": 1,
         *             "first_name": "Grace",
         *             "email": "grace@example.com",
         *             "is_system": false
         *           },
         *           "key": {
         *             "id": 3,
         *             "label": "support"
         *           },
         *           "activity": "updated",
         *           "scope": "Person",
         *           "item_id": "731",
         *           "detail": {
         *             "changes": [
         *               {
         *                 "type": "Person",
         *                 "action": "changed",
         *                 "field": "properties",
         *                 "before": {
         *                   "plan": "free"
         *                 },
         *                 "after": {
         *                   "plan": "pro"
         *                 }
         *               }
         *             ],
         *             "name": null,
         *             "short_id": null,
         *             "trigger": null,
         *             "type": null
         *           },
         *           "created_at": "2026-10-02T10:11:12.345Z"
         *         }
         *       ]
         *     }
         */
        ActivityPage: {
            /** @description How many there are on all pages, exactly. */
            count: number;
            /** @description The next page, absolute; null on the last one. */
            next: string | null;
            /** @description The page before, absolute; null on the first one. */
            previous: string | null;
            results: components["schemas"]["Activity"][];
        };
        Dropped: {
            uuid: string | null;
            reason: string;
        };
        /**
         * @example {
         *       "distinct_id": "ada"
         *     }
         */
        RecordingUpdate: {
            /** @description Whose the recording is from now on. */
            distinct_id?: string;
            /** @description Whose the recording is from now on: a distinct id, or an object that names a person. */
            person?: string | ({
                id?: number | null;
                uuid?: string | null;
                distinct_ids?: (string | string[]) | null;
            } & {
                [key: string]: unknown;
            });
            /** @description `true`: the user whose key asks has viewed it. */
            viewed?: boolean;
        };
        /**
         * @example {
         *       "messages": [
         *         {
         *           "role": "user",
         *           "content": "Firefox on Windows, longer than 5 minutes, in the last 3 days"
         *         }
         *       ]
         *     }
         */
        RecordingFiltersInput: {
            /** @description A conversation; its last message asks for recordings, in English. */
            messages?: {
                /** @enum {string} */
                role: "user" | "assistant";
                content: string;
            }[];
            /** @description Whose, where nothing else is asked for: a distinct id, or an object that names a person. */
            person?: string | ({
                id?: number | null;
                uuid?: string | null;
                distinct_ids?: (string | string[]) | null;
            } & {
                [key: string]: unknown;
            });
            /** @description The same by a distinct id. */
            distinct_id?: string;
        };
        RecordingFilter: {
            key: string;
            /** @enum {string} */
            type: "event" | "event_metadata" | "person" | "session" | "recording";
            /** @enum {string} */
            operator: "exact" | "in" | "icontains" | "icontains_multi" | "regex" | "is_not" | "not_in" | "not_icontains" | "not_icontains_multi" | "not_regex" | "gt" | "gte" | "lt" | "lte" | "min" | "max" | "between" | "not_between" | "is_set" | "is_not_set" | "is_date_exact" | "is_date_before" | "is_date_after" | "semver_eq" | "semver_neq" | "semver_gt" | "semver_gte" | "semver_lt" | "semver_lte" | "semver_tilde" | "semver_caret" | "semver_wildcard";
            value: string[];
        };
        /** @description Filters and groups, all or any; at most 40 filters. */
        RecordingFilterGroup: {
            /** @enum {string} */
            type: "AND" | "OR";
            values: (components["schemas"]["RecordingFilterGroup"] | components["schemas"]["RecordingFilter"])[];
        };
        /**
         * @example {
         *       "regex": "pages under /orders/ followed by a number",
         *       "examples": [
         *         "/orders/12"
         *       ]
         *     }
         */
        RegexInput: {
            /** @description What the pattern is to match, in English. */
            regex?: string;
            /** @description Texts that it has to match. */
            examples?: string[];
            /** @description Texts that it must not match. */
            counter_examples?: string[];
            /** @description Whose, where nothing else is asked for: a distinct id, or an object that names a person. */
            person?: string | ({
                id?: number | null;
                uuid?: string | null;
                distinct_ids?: (string | string[]) | null;
            } & {
                [key: string]: unknown;
            });
            /** @description The same by a distinct id. */
            distinct_id?: string;
        };
        /**
         * @example {
         *       "result": "filter",
         *       "engine": "built-in",
         *       "data": {
         *         "question": "",
         *         "date_from": "-3d",
         *         "date_to": "",
         *         "person_uuid": "",
         *         "distinct_ids": [],
         *         "filter_group": {
         *           "type": "AND",
         *           "values": [
         *             {
         *               "type": "AND",
         *               "values": [
         *                 {
         *                   "key": "$browser",
         *                   "type": "event",
         *                   "operator": "exact",
         *                   "value": [
         *                     "Firefox"
         *                   ]
         *                 }
         *               ]
         *             }
         *           ]
         *         },
         *         "query": "date_from=-3d&properties=%7B%22type%22%3A%22AND%22%2C%22values%22%3A%5B%7B%22key%22%3A%22%24browser%22%2C%22type%22%3A%22event%22%2C%22operator%22%3A%22exact%22%2C%22value%22%3A%5B%22Firefox%22%5D%7D%5D%7D"
         *       }
         *     }
         */
        RecordingFiltersAnswer: {
            /** @enum {string} */
            result: "filter" | "question";
            /**
             * @description What has made the answer.
             * @enum {string}
             */
            engine: "built-in" | "model";
            data: {
                /** @description What was not understood, or has to be known first. */
                question: string;
                date_from: string;
                date_to: string;
                person_uuid: string;
                distinct_ids: string[];
                filter_group: components["schemas"]["RecordingFilterGroup"];
                /** @description All of it as the query string of `GET session_recordings/`. */
                query: string;
            };
        };
        /**
         * @example {
         *       "result": "success",
         *       "engine": "built-in",
         *       "data": {
         *         "output": "^(?:https?://[^/?#]+)?/orders/[0-9]+(?:[/?#]|$)",
         *         "matched": [
         *           {
         *             "text": "/orders/12",
         *             "match": "/orders/12"
         *           }
         *         ],
         *         "rejected": []
         *       }
         *     }
         */
        RegexAnswer: {
            /** @enum {string} */
            result: "success" | "error";
            /**
             * @description What has made the answer.
             * @enum {string}
             */
            engine: "built-in" | "model";
            data: {
                /** @description The pattern, RE2 syntax; with `error`, why there is none. */
                output: string;
                /** @description What the pattern finds in each example. */
                matched: {
                    text: string;
                    match: string;
                }[];
                /** @description The counter-examples, in which it finds nothing. */
                rejected: string[];
            };
        };
        /**
         * @example {
         *       "api_key": "phc_…",
         *       "event": "$identify",
         *       "distinct_id": "ada",
         *       "properties": {
         *         "$set": {
         *           "email": "ada@example.com",
         *           "plan": "pro"
         *         }
         *       },
         *       "timestamp": "2026-10-02T10:11:12.345Z"
         *     }
         */
        Event: {
            /** @description Its name, of which 200 characters are kept. */
            event: string;
            /** @description Of whom; may be in the properties instead. */
            distinct_id?: string;
            /** @description Also `$set`, `$set_once` and `$unset`: what changes on the person. At most 1000000 bytes; a person's properties, 524288: an event that would make them larger is kept, and changes nothing on the person. */
            properties?: {
                [key: string]: unknown;
            } | null;
            /** @description ISO 8601; without it, the time of arrival. */
            timestamp?: string | null;
            /** @description An event is stored once, however often it is sent. */
            uuid?: string | null;
            /** @description The project's capture token, unless it is around the batch. */
            api_key?: string;
        };
        Batch: {
            /** @description The project's capture token; also as `token`. */
            api_key?: string;
            batch: components["schemas"]["Event"][];
            /** @description The client's clock, by which event times are put right. */
            sent_at?: string;
        };
        /**
         * @example {
         *       "api_key": "phc_…",
         *       "event": "$identify",
         *       "distinct_id": "ada",
         *       "properties": {
         *         "$set": {
         *           "email": "ada@example.com",
         *           "plan": "pro"
         *         }
         *       },
         *       "timestamp": "2026-10-02T10:11:12.345Z"
         *     }
         */
        Capture: components["schemas"]["Event"] | components["schemas"]["Batch"] | components["schemas"]["Event"][];
        /**
         * @example {
         *       "status": "Ok"
         *     }
         */
        Captured: {
            /** @constant */
            status: "Ok";
            dropped?: components["schemas"]["Dropped"][];
        };
        /**
         * @example {
         *       "api_key": "phc_…",
         *       "distinct_id": "ada"
         *     }
         */
        FlagsRequest: {
            api_key?: string;
            token?: string;
            distinct_id?: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "api_key": "phc_…",
         *       "event": "$snapshot",
         *       "distinct_id": "ada",
         *       "properties": {
         *         "$session_id": "01a1fc87-dc26-71e7-8a25-7ac44254cc16",
         *         "$snapshot_data": [
         *           {
         *             "type": 4,
         *             "timestamp": 1795238124740,
         *             "data": {
         *               "href": "https://example.com/"
         *             }
         *           }
         *         ]
         *       }
         *     }
         */
        SnapshotEvent: {
            /** @constant */
            event?: "$snapshot";
            /** @description Of whom; may be in the properties instead. */
            distinct_id?: string;
            properties: {
                /** @description Letters, digits and hyphens. */
                $session_id: string;
                $window_id?: string;
                /** @description rrweb's snapshots. */
                $snapshot_data: {
                    [key: string]: unknown;
                }[] | {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            };
            sent_at?: string;
            /** @description It is stored once, however often it is sent. */
            uuid?: string | null;
            /** @description The project's capture token; may be in the properties. */
            api_key?: string;
        };
        /**
         * @example {
         *       "api_key": "phc_…",
         *       "event": "$snapshot",
         *       "distinct_id": "ada",
         *       "properties": {
         *         "$session_id": "01a1fc87-dc26-71e7-8a25-7ac44254cc16",
         *         "$snapshot_data": [
         *           {
         *             "type": 4,
         *             "timestamp": 1795238124740,
         *             "data": {
         *               "href": "https://example.com/"
         *             }
         *           }
         *         ]
         *       }
         *     }
         */
        Snapshots: components["schemas"]["SnapshotEvent"][] | components["schemas"]["SnapshotEvent"];
        /**
         * @example {
         *       "surveys": []
         *     }
         */
        Surveys: {
            surveys: unknown[];
        };
        /**
         * @example {
         *       "token": "phc_…",
         *       "supportedCompression": [
         *         "gzip-js",
         *         "gzip"
         *       ],
         *       "analytics": {
         *         "endpoint": "/i/v0/e/"
         *       },
         *       "autocapture_opt_out": false,
         *       "elementsChainAsString": true,
         *       "defaultIdentifiedOnly": true,
         *       "sessionRecording": {
         *         "endpoint": "/s/",
         *         "consoleLogRecordingEnabled": true,
         *         "recorderVersion": "v2"
         *       },
         *       "hasFeatureFlags": false,
         *       "capturePerformance": false,
         *       "heatmaps": false,
         *       "captureDeadClicks": false,
         *       "siteApps": []
         *     }
         */
        RemoteConfig: {
            token: string;
            supportedCompression: string[];
            analytics: {
                endpoint: string;
            };
            autocapture_opt_out: boolean;
            elementsChainAsString: boolean;
            defaultIdentifiedOnly: boolean;
            sessionRecording: {
                endpoint: string;
                consoleLogRecordingEnabled: boolean;
                recorderVersion: string;
            };
            hasFeatureFlags: boolean;
            capturePerformance: boolean;
            heatmaps: boolean;
            captureDeadClicks: boolean;
            siteApps: unknown[];
        };
        /**
         * @example {
         *       "flags": {},
         *       "errorsWhileComputingFlags": false,
         *       "requestId": "7f1cbe1a-3a52-4c8e-9b5e-0d6a1f5f2d11"
         *     }
         */
        Flags: {
            flags?: {
                [key: string]: unknown;
            };
            featureFlags?: {
                [key: string]: unknown;
            } | string[];
            featureFlagPayloads?: {
                [key: string]: unknown;
            };
            errorsWhileComputingFlags: boolean;
            /** Format: uuid */
            requestId: string;
            token?: string;
            supportedCompression?: string[];
            analytics?: {
                endpoint: string;
            };
            autocapture_opt_out?: boolean;
            elementsChainAsString?: boolean;
            defaultIdentifiedOnly?: boolean;
            sessionRecording?: {
                endpoint: string;
                consoleLogRecordingEnabled: boolean;
                recorderVersion: string;
            };
            hasFeatureFlags?: boolean;
            capturePerformance?: boolean;
            heatmaps?: boolean;
            captureDeadClicks?: boolean;
            siteApps?: unknown[];
            config?: {
                enable_collect_everything: boolean;
            };
        };
        CaptureError: {
            /** @enum {string} */
            type: "authentication_error" | "invalid_request" | "validation_error" | "server_error" | "throttled_error";
            /** @enum {string} */
            code: "not_authenticated" | "authentication_failed" | "permission_denied" | "not_found" | "method_not_allowed" | "unsupported_media_type" | "parse_error" | "request_too_large" | "required" | "null" | "blank" | "invalid_input" | "invalid_choice" | "does_not_exist" | "max_length" | "max_value" | "min_value" | "query_too_large" | "conflict" | "throttled" | "unavailable" | "error";
            /** @description What is wrong, for people. */
            detail: string;
            /** @description The field at fault; nested names are joined with `__`. */
            attr: string | null;
            dropped?: components["schemas"]["Dropped"][];
        };
        /**
         * @example {
         *       "id": 1,
         *       "uuid": "01a1f000-0000-7000-8000-000000000001",
         *       "distinct_id": "01a1f000-0000-7000-8000-000000000001",
         *       "first_name": "Grace",
         *       "last_name": "Hopper",
         *       "email": "grace@example.com",
         *       "is_email_verified": true,
         *       "hedgehog_config": null,
         *       "role_at_organization": "engineering"
         *     }
         */
        User: {
            id: number;
            /** Format: uuid */
            uuid: string;
            distinct_id: string;
            first_name: string;
            last_name: string;
            email: string;
            is_email_verified: boolean | null;
            hedgehog_config: {
                [key: string]: unknown;
            } | null;
            role_at_organization: ("engineering" | "data" | "product" | "founder" | "leadership" | "marketing" | "sales" | "other") | null;
        };
        /**
         * @example {
         *       "result": [
         *         {
         *           "action": {
         *             "id": "$pageview",
         *             "type": "events",
         *             "order": 0,
         *             "name": "$pageview",
         *             "custom_name": null,
         *             "math": "total",
         *             "math_property": null,
         *             "math_hogql": null,
         *             "math_group_type_index": null,
         *             "properties": {}
         *           },
         *           "label": "$pageview",
         *           "count": 7,
         *           "data": [
         *             0,
         *             3,
         *             4
         *           ],
         *           "labels": [
         *             "1-Jun-2025",
         *             "2-Jun-2025",
         *             "3-Jun-2025"
         *           ],
         *           "days": [
         *             "2025-06-01",
         *             "2025-06-02",
         *             "2025-06-03"
         *           ],
         *           "filter": {
         *             "insight": "TRENDS",
         *             "interval": "day"
         *           }
         *         }
         *       ],
         *       "timezone": "UTC",
         *       "last_refresh": "2025-06-03T09:00:00.000Z",
         *       "is_cached": false,
         *       "next": null
         *     }
         */
        Trend: {
            result: {
                /** @description The series as it was asked for; null for a formula. */
                action: {
                    id: string | null;
                    /** @constant */
                    type: "events";
                    order: number;
                    name: string;
                    custom_name: string | null;
                    math: string;
                    math_property: string | null;
                    math_hogql: null;
                    math_group_type_index: null;
                    properties: unknown;
                } | null;
                label: string;
                /** @description The sum of `data`; of a cumulative display its last number. */
                count: number;
                data: number[];
                labels: string[];
                /** @description Where each bucket begins, on the clock of the project. */
                days: string[];
                /** @description Of displays without a time axis. */
                aggregated_value?: number;
                /** @description `$$_posthog_breakdown_other_$$` for all values beyond the limit, `$$_posthog_breakdown_null_$$` for none; of a bin where it begins and ends. */
                breakdown_value?: string | string[] | number[];
                /** @constant */
                compare?: true;
                /** @enum {string} */
                compare_label?: "current" | "previous";
                filter: {
                    [key: string]: unknown;
                };
            }[];
            timezone: string;
            /** Format: date-time */
            last_refresh: string;
            is_cached: boolean;
            /** @description The next breakdown values, when there are more than the limit. */
            next: string | null;
        };
        /**
         * @description A trend in any of three forms: `query`, `filters`, or what `filters` holds beside the other fields.
         * @example {
         *       "events": [
         *         {
         *           "id": "$pageview",
         *           "math": "dau"
         *         }
         *       ],
         *       "date_from": "-7d",
         *       "interval": "day"
         *     }
         * @example {
         *       "query": {
         *         "kind": "TrendsQuery",
         *         "series": [
         *           {
         *             "kind": "EventsNode",
         *             "event": "$pageview",
         *             "math": "total"
         *           }
         *         ],
         *         "breakdownFilter": {
         *           "breakdown": "$browser",
         *           "breakdown_type": "event"
         *         }
         *       }
         *     }
         */
        InsightFields: {
            name?: string | null;
            derived_name?: string | null;
            /** @description A filter object: `events`, `date_from`, `interval`, `breakdown`… */
            filters?: {
                [key: string]: unknown;
            } | null;
            /** @description A `TrendsQuery` node, as an object or as JSON text, also inside an `InsightVizNode`. */
            query?: (string | {
                [key: string]: unknown;
            }) | null;
            order?: number | null;
            deleted?: boolean;
            /**
             * @deprecated
             * @description Use dashboard_tiles instead.
             */
            dashboards?: number[];
            description?: string | null;
            tags?: string[];
            favorited?: boolean;
            saved?: boolean;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "name": "Weekly actives",
         *       "filters": {
         *         "events": [
         *           {
         *             "id": "$pageview",
         *             "math": "dau"
         *           }
         *         ]
         *       }
         *     }
         */
        InsightInput: {
            name?: string | null;
            derived_name?: string | null;
            /** @description A filter object: `events`, `date_from`, `interval`, `breakdown`… */
            filters?: {
                [key: string]: unknown;
            } | null;
            /** @description A `TrendsQuery` node, as an object or as JSON text, also inside an `InsightVizNode`. */
            query?: (string | {
                [key: string]: unknown;
            }) | null;
            order?: number | null;
            deleted?: boolean;
            /**
             * @deprecated
             * @description The dashboards that show it. Use dashboard_tiles instead.
             */
            dashboards?: number[];
            description?: string | null;
            tags?: string[];
            favorited?: boolean;
            saved?: boolean;
        };
        /**
         * @example {
         *       "id": 44,
         *       "short_id": "kQ3xT9Lm",
         *       "name": "Weekly actives",
         *       "derived_name": null,
         *       "description": null,
         *       "filters": {
         *         "events": [
         *           {
         *             "id": "$pageview",
         *             "math": "dau"
         *           }
         *         ]
         *       },
         *       "query": null,
         *       "order": null,
         *       "deleted": false,
         *       "dashboards": [
         *         12
         *       ],
         *       "dashboard_tiles": [
         *         {
         *           "id": 3,
         *           "dashboard_id": 12
         *         }
         *       ],
         *       "tags": [],
         *       "favorited": false,
         *       "saved": true,
         *       "created_by": {
         *         "id": 1,
         *         "uuid": "01a1f000-0000-7000-8000-000000000001",
         *         "distinct_id": "01a1f000-0000-7000-8000-000000000001",
         *         "first_name": "Grace",
         *         "last_name": "Hopper",
         *         "email": "grace@example.com",
         *         "is_email_verified": true,
         *         "hedgehog_config": null,
         *         "role_at_organization": "engineering"
         *       },
         *       "created_at": "2026-10-02T10:11:12.345Z",
         *       "last_modified_at": "2026-10-02T10:11:12.345Z",
         *       "result": null,
         *       "last_refresh": null,
         *       "is_cached": false
         *     }
         */
        Insight: {
            id: number;
            short_id: string;
            name: string | null;
            derived_name: string | null;
            description: string | null;
            filters: {
                [key: string]: unknown;
            };
            query: (string | {
                [key: string]: unknown;
            }) | null;
            order: number | null;
            deleted: boolean;
            /** @deprecated */
            dashboards: number[];
            dashboard_tiles: {
                id: number;
                dashboard_id: number;
            }[];
            tags: string[];
            favorited: boolean;
            saved: boolean;
            created_by: components["schemas"]["User"];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_modified_at: string;
            /** @description With `refresh=true` what the insight says now, else null. */
            result: {
                /** @description The series as it was asked for; null for a formula. */
                action: {
                    id: string | null;
                    /** @constant */
                    type: "events";
                    order: number;
                    name: string;
                    custom_name: string | null;
                    math: string;
                    math_property: string | null;
                    math_hogql: null;
                    math_group_type_index: null;
                    properties: unknown;
                } | null;
                label: string;
                /** @description The sum of `data`; of a cumulative display its last number. */
                count: number;
                data: number[];
                labels: string[];
                /** @description Where each bucket begins, on the clock of the project. */
                days: string[];
                /** @description Of displays without a time axis. */
                aggregated_value?: number;
                /** @description `$$_posthog_breakdown_other_$$` for all values beyond the limit, `$$_posthog_breakdown_null_$$` for none; of a bin where it begins and ends. */
                breakdown_value?: string | string[] | number[];
                /** @constant */
                compare?: true;
                /** @enum {string} */
                compare_label?: "current" | "previous";
                filter: {
                    [key: string]: unknown;
                };
            }[] | null;
            last_refresh: string | null;
            is_cached: boolean;
        };
        /**
         * @example {
         *       "name": "Weekly review"
         *     }
         */
        DashboardInput: {
            name?: string | null;
            description?: string;
            pinned?: boolean;
            tags?: string[];
            deleted?: boolean;
        };
        /**
         * @example {
         *       "id": 12,
         *       "name": "Weekly review",
         *       "description": "",
         *       "pinned": false,
         *       "tags": [],
         *       "deleted": false,
         *       "created_by": {
         *         "id": 1,
         *         "uuid": "01a1f000-0000-7000-8000-000000000001",
         *         "distinct_id": "01a1f000-0000-7000-8000-000000000001",
         *         "first_name": "Grace",
         *         "last_name": "Hopper",
         *         "email": "grace@example.com",
         *         "is_email_verified": true,
         *         "hedgehog_config": null,
         *         "role_at_organization": "engineering"
         *       },
         *       "created_at": "2026-10-02T10:11:12.345Z"
         *     }
         */
        DashboardSummary: {
            id: number;
            name: string | null;
            description: string;
            pinned: boolean;
            tags: string[];
            deleted: boolean;
            created_by: components["schemas"]["User"];
            /** Format: date-time */
            created_at: string;
        };
        /**
         * @example {
         *       "id": 12,
         *       "name": "Weekly review",
         *       "description": "",
         *       "pinned": false,
         *       "tags": [],
         *       "deleted": false,
         *       "created_by": {
         *         "id": 1,
         *         "uuid": "01a1f000-0000-7000-8000-000000000001",
         *         "distinct_id": "01a1f000-0000-7000-8000-000000000001",
         *         "first_name": "Grace",
         *         "last_name": "Hopper",
         *         "email": "grace@example.com",
         *         "is_email_verified": true,
         *         "hedgehog_config": null,
         *         "role_at_organization": "engineering"
         *       },
         *       "created_at": "2026-10-02T10:11:12.345Z",
         *       "tiles": [
         *         {
         *           "id": 3,
         *           "insight": {
         *             "id": 44,
         *             "short_id": "kQ3xT9Lm",
         *             "name": "Weekly actives",
         *             "derived_name": null,
         *             "description": null,
         *             "filters": {
         *               "events": [
         *                 {
         *                   "id": "$pageview",
         *                   "math": "dau"
         *                 }
         *               ]
         *             },
         *             "query": null,
         *             "order": null,
         *             "deleted": false,
         *             "dashboards": [
         *               12
         *             ],
         *             "dashboard_tiles": [
         *               {
         *                 "id": 3,
         *                 "dashboard_id": 12
         *               }
         *             ],
         *             "tags": [],
         *             "favorited": false,
         *             "saved": true,
         *             "created_by": {
         *               "id": 1,
         *               "uuid": "01a1f000-0000-7000-8000-000000000001",
         *               "distinct_id": "01a1f000-0000-7000-8000-000000000001",
         *               "first_name": "Grace",
         *               "last_name": "Hopper",
         *               "email": "grace@example.com",
         *               "is_email_verified": true,
         *               "hedgehog_config": null,
         *               "role_at_organization": "engineering"
         *             },
         *             "created_at": "2026-10-02T10:11:12.345Z",
         *             "last_modified_at": "2026-10-02T10:11:12.345Z",
         *             "result": null,
         *             "last_refresh": null,
         *             "is_cached": false
         *           }
         *         }
         *       ]
         *     }
         */
        Dashboard: {
            id: number;
            name: string | null;
            description: string;
            pinned: boolean;
            tags: string[];
            deleted: boolean;
            created_by: components["schemas"]["User"];
            /** Format: date-time */
            created_at: string;
            tiles: {
                id: number;
                insight: components["schemas"]["Insight"];
            }[];
        };
        /**
         * @example {
         *       "count": 1,
         *       "next": null,
         *       "previous": null,
         *       "results": [
         *         {
         *           "id": 12,
         *           "name": "Weekly review",
         *           "description": "",
         *           "pinned": false,
         *           "tags": [],
         *           "deleted": false,
         *           "created_by": {
         *             "id": 1,
         *             "uuid": "01a1f000-0000-7000-8000-000000000001",
         *             "distinct_id": "01a1f000-0000-7000-8000-000000000001",
         *             "first_name": "Grace",
         *             "last_name": "Hopper",
         *             "email": "grace@example.com",
         *             "is_email_verified": true,
         *             "hedgehog_config": null,
         *             "role_at_organization": "engineering"
         *           },
         *           "created_at": "2026-10-02T10:11:12.345Z"
         *         }
         *       ]
         *     }
         */
        DashboardPage: {
            /** @description How many there are on all pages, exactly. */
            count: number;
            /** @description The next page, absolute; null on the last one. */
            next: string | null;
            /** @description The page before, absolute; null on the first one. */
            previous: string | null;
            results: components["schemas"]["DashboardSummary"][];
        };
        OpenApi: {
            openapi: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "id": 7,
         *       "project_id": 1,
         *       "person_uuid": "01a1f000-0000-7000-8000-00000000000a",
         *       "requested_at": "2026-11-20T10:00:00.000Z",
         *       "requested_by": {
         *         "user": {
         *           "id": 1,
         *           "first_name": "Ada",
         *           "email": "ada@example.com"
         *         },
         *         "key": {
         *           "id": 1,
         *           "label": "admin"
         *         }
         *       },
         *       "delete_events": true,
         *       "delete_recordings": false,
         *       "run": "2026-11-22T05:00:00.000Z",
         *       "stores": [
         *         {
         *           "store": "events",
         *           "found": 1200,
         *           "removed": 1200,
         *           "remaining": 0
         *         }
         *       ],
         *       "late_events_dropped": 0,
         *       "verified_at": "2026-11-22T05:00:09.000Z",
         *       "kept": [],
         *       "backups_until": "2026-12-22T05:00:09.000Z",
         *       "signature": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
         *     }
         */
        DeletionReceipt: {
            /** @description The erasure. */
            id: number;
            project_id: number;
            /** Format: uuid */
            person_uuid: string;
            /** Format: date-time */
            requested_at: string;
            /** @description User and key. */
            requested_by: {
                [key: string]: unknown;
            };
            delete_events: boolean;
            /** @default false */
            delete_recordings: boolean;
            /** @description The weekly batch that removed the events. */
            run: string | null;
            stores: {
                store: string;
                /** @description What was there of the person. */
                found: number;
                removed: number;
                /** @description What the verification still found. */
                remaining: number;
            }[];
            /** @description Events accepted before the request that arrived too late to be stored. */
            late_events_dropped: number;
            /**
             * Format: date-time
             * @description When each store was looked through again.
             */
            verified_at: string;
            /** @description What stays, and why. */
            kept: string[];
            /**
             * Format: date-time
             * @description Until then D1 Time Travel can bring back the state of before.
             */
            backups_until: string;
            /** @description HMAC-SHA256, hexadecimal, of all other members as JSON with sorted keys and without spaces. */
            signature: string;
        };
        /**
         * @example {
         *       "id": 7,
         *       "person_uuid": "01a1f000-0000-7000-8000-00000000000a",
         *       "status": "running",
         *       "created_at": "2026-11-20T10:00:00.000Z",
         *       "created_by": {
         *         "user": {
         *           "id": 1,
         *           "first_name": "Ada",
         *           "email": "ada@example.com"
         *         },
         *         "key": {
         *           "id": 1,
         *           "label": "admin"
         *         }
         *       },
         *       "scheduled_for": "2026-11-22T05:00:00.000Z",
         *       "events": {
         *         "found": 1200,
         *         "removed": 500,
         *         "remaining": 700,
         *         "dropped": 0
         *       },
         *       "recordings": null,
         *       "error": null,
         *       "delete_verified_at": null,
         *       "receipt": null
         *     }
         */
        DeletionTask: {
            id: number;
            /** Format: uuid */
            person_uuid: string;
            /**
             * @description `queued` until its run; `completed` only once a search of every store found nothing; `failed` ones are tried again in the next run.
             * @enum {string}
             */
            status: "queued" | "running" | "completed" | "failed";
            /**
             * Format: date-time
             * @description When it was asked for: events accepted until then go.
             */
            created_at: string;
            /** @description The user and the key that asked for it. */
            created_by: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description The run that it waits for or went with, when events go.
             */
            scheduled_for: string;
            events: {
                /** @description Counted when the run reaches the task; null before. */
                found: number | null;
                removed: number;
                remaining: number | null;
                /** @description Accepted before the request, and too late to be stored or removed. */
                dropped: number;
            };
            /** @description How many recordings were deleted with the person; null when they were to be kept. */
            recordings: number | null;
            /** @description What last went wrong. */
            error: string | null;
            delete_verified_at: string | null;
            /** @description The proof; null until completed. */
            receipt: components["schemas"]["DeletionReceipt"] | null;
        };
        /**
         * @example {
         *       "distinct_ids": [
         *         "user-1",
         *         "user-2"
         *       ],
         *       "delete_events": true
         *     }
         */
        BulkDelete: {
            /** @description Uuids or integer ids. */
            ids?: (number | string)[] | null;
            distinct_ids?: string[] | null;
            /** @description Whether the events go too, with the next weekly batch. */
            delete_events?: boolean;
            /** @description Whether the recordings of their sessions go too, at once. */
            delete_recordings?: boolean;
        };
        /**
         * @example {
         *       "persons_found": 1,
         *       "persons_deleted": 1,
         *       "events_queued_for_deletion": true,
         *       "recordings_queued_for_deletion": false,
         *       "deletion_errors": [],
         *       "results": [
         *         {
         *           "id": "user-1",
         *           "result": "deleted",
         *           "person_uuid": "01a1f000-0000-7000-8000-00000000000a"
         *         },
         *         {
         *           "id": "user-2",
         *           "result": "not_found",
         *           "person_uuid": null
         *         }
         *       ]
         *     }
         */
        BulkDeleted: {
            persons_found: number;
            persons_deleted: number;
            events_queued_for_deletion: boolean;
            recordings_queued_for_deletion: boolean;
            deletion_errors: string[];
            results: {
                /** @description As it was asked for. */
                id: string | number;
                /** @enum {string} */
                result: "deleted" | "not_found";
                person_uuid: string | null;
            }[];
        };
        /**
         * @example {
         *       "count": 1,
         *       "next": null,
         *       "previous": null,
         *       "results": [
         *         {
         *           "id": 7,
         *           "person_uuid": "01a1f000-0000-7000-8000-00000000000a",
         *           "status": "running",
         *           "created_at": "2026-11-20T10:00:00.000Z",
         *           "created_by": {
         *             "user": {
         *               "id": 1,
         *               "first_name": "Ada",
         *               "email": "ada@example.com"
         *             },
         *             "key": {
         *               "id": 1,
         *               "label": "admin"
         *             }
         *           },
         *           "scheduled_for": "2026-11-22T05:00:00.000Z",
         *           "events": {
         *             "found": 1200,
         *             "removed": 500,
         *             "remaining": 700,
         *             "dropped": 0
         *           },
         *           "recordings": null,
         *           "error": null,
         *           "delete_verified_at": null,
         *           "receipt": null
         *         }
         *       ]
         *     }
         */
        DeletionTaskPage: {
            /** @description How many there are on all pages, exactly. */
            count: number;
            /** @description The next page, absolute; null on the last one. */
            next: string | null;
            /** @description The page before, absolute; null on the first one. */
            previous: string | null;
            results: components["schemas"]["DeletionTask"][];
        };
        /**
         * @example {
         *       "valid": true,
         *       "detail": "This service signed the receipt, and nothing in it has been changed."
         *     }
         */
        ReceiptVerification: {
            valid: boolean;
            detail: string;
        };
        /**
         * @description A `DeletionReceipt`, unchanged.
         * @example {
         *       "id": 7,
         *       "project_id": 1,
         *       "person_uuid": "01a1f000-0000-7000-8000-00000000000a",
         *       "requested_at": "2026-11-20T10:00:00.000Z",
         *       "requested_by": {
         *         "user": {
         *           "id": 1,
         *           "first_name": "Ada",
         *           "email": "ada@example.com"
         *         },
         *         "key": {
         *           "id": 1,
         *           "label": "admin"
         *         }
         *       },
         *       "delete_events": true,
         *       "delete_recordings": false,
         *       "run": "2026-11-22T05:00:00.000Z",
         *       "stores": [
         *         {
         *           "store": "events",
         *           "found": 1200,
         *           "removed": 1200,
         *           "remaining": 0
         *         }
         *       ],
         *       "late_events_dropped": 0,
         *       "verified_at": "2026-11-22T05:00:09.000Z",
         *       "kept": [],
         *       "backups_until": "2026-12-22T05:00:09.000Z",
         *       "signature": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
         *     }
         */
        PresentedReceipt: {
            project_id: number;
            signature: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "status": "ok"
         *     }
         */
        Alive: {
            /** @constant */
            status: "ok";
        };
        /**
         * @example {
         *       "status": "ok",
         *       "database": {
         *         "binding": "DB",
         *         "status": "ok",
         *         "answers": true,
         *         "migration": "0001_search.sql",
         *         "size_bytes": 4096000,
         *         "fill": 0.0004
         *       },
         *       "other_databases": [],
         *       "queue": {
         *         "backlog": 0,
         *         "consuming": 0,
         *         "retrying": 0
         *       }
         *     }
         */
        Health: {
            /**
             * @description The worst of all databases.
             * @enum {string}
             */
            status: "ok" | "warning" | "unavailable";
            /** @description The one with users, keys and projects, and the data of most. */
            database: {
                /** @description The D1 binding that it has, or that a project asks for. */
                binding: string;
                /**
                 * @description `warning`: it is 80 % full; `unavailable`: it does not answer, or lacks a migration.
                 * @enum {string}
                 */
                status: "ok" | "warning" | "unavailable";
                answers: boolean;
                /** @description The last one that was applied. */
                migration: string | null;
                size_bytes: number;
                /** @description Its share of the largest size. */
                fill: number;
            };
            other_databases: {
                /** @description The D1 binding that it has, or that a project asks for. */
                binding: string;
                /**
                 * @description `warning`: it is 80 % full; `unavailable`: it does not answer, or lacks a migration.
                 * @enum {string}
                 */
                status: "ok" | "warning" | "unavailable";
                answers: boolean;
                /** @description The last one that was applied. */
                migration: string | null;
                size_bytes: number;
                /** @description Its share of the largest size. */
                fill: number;
            }[];
            queue: {
                /** @description Messages that wait; null when the queues do not say. */
                backlog: number | null;
                consuming: number;
                retrying: number;
            };
        };
        /**
         * @example {
         *       "count": 1,
         *       "next": null,
         *       "previous": null,
         *       "results": [
         *         {
         *           "id": 44,
         *           "short_id": "kQ3xT9Lm",
         *           "name": "Weekly actives",
         *           "derived_name": null,
         *           "description": null,
         *           "filters": {
         *             "events": [
         *               {
         *                 "id": "$pageview",
         *                 "math": "dau"
         *               }
         *             ]
         *           },
         *           "query": null,
         *           "order": null,
         *           "deleted": false,
         *           "dashboards": [
         *             12
         *           ],
         *           "dashboard_tiles": [
         *             {
         *               "id": 3,
         *               "dashboard_id": 12
         *             }
         *           ],
         *           "tags": [],
         *           "favorited": false,
         *           "saved": true,
         *           "created_by": {
         *             "id": 1,
         *             "uuid": "01a1f000-0000-7000-8000-000000000001",
         *             "distinct_id": "01a1f000-0000-7000-8000-000000000001",
         *             "first_name": "Grace",
         *             "last_name": "Hopper",
         *             "email": "grace@example.com",
         *             "is_email_verified": true,
         *             "hedgehog_config": null,
         *             "role_at_organization": "engineering"
         *           },
         *           "created_at": "2026-10-02T10:11:12.345Z",
         *           "last_modified_at": "2026-10-02T10:11:12.345Z",
         *           "result": null,
         *           "last_refresh": null,
         *           "is_cached": false
         *         }
         *       ]
         *     }
         */
        InsightPage: {
            /** @description How many there are on all pages, exactly. */
            count: number;
            /** @description The next page, absolute; null on the last one. */
            next: string | null;
            /** @description The page before, absolute; null on the first one. */
            previous: string | null;
            results: components["schemas"]["Insight"][];
        };
        /**
         * @example {
         *       "count": 1,
         *       "next": null,
         *       "previous": null,
         *       "results": [
         *         {
         *           "id": 731,
         *           "name": "ada@example.com",
         *           "distinct_ids": [
         *             "ada",
         *             "0191a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b"
         *           ],
         *           "properties": {
         *             "email": "ada@example.com",
         *             "plan": "pro"
         *           },
         *           "created_at": "2026-10-02T10:11:12.345Z",
         *           "uuid": "0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071"
         *         }
         *       ]
         *     }
         */
        PersonPage: {
            /** @description How many there are on all pages, exactly. */
            count: number;
            /** @description The next page, absolute; null on the last one. */
            next: string | null;
            /** @description The page before, absolute; null on the first one. */
            previous: string | null;
            results: components["schemas"]["Person"][];
        };
        RecordingPerson: {
            /** @description Null when there is no person with this distinct id. */
            id: number | null;
            name: string | null;
            /** @description The recording's own distinct id, and only that. */
            distinct_ids: string;
            properties: {
                [key: string]: unknown;
            };
            created_at: string | null;
            /**
             * Format: uuid
             * @description Without a person, made of project and distinct id.
             */
            uuid: string;
        };
        /**
         * @example {
         *       "id": "01a1fc87-dc26-71e7-8a25-7ac44254cc16",
         *       "distinct_id": "ada",
         *       "viewed": false,
         *       "viewers": [
         *         "grace@example.com"
         *       ],
         *       "recording_duration": 18,
         *       "active_seconds": 0.102,
         *       "inactive_seconds": 17.898,
         *       "start_time": "2026-11-21T05:15:24.740Z",
         *       "end_time": "2026-11-21T05:15:42.262Z",
         *       "click_count": 3,
         *       "keypress_count": 5,
         *       "mouse_activity_count": 19,
         *       "console_log_count": 1,
         *       "console_warn_count": 1,
         *       "console_error_count": 1,
         *       "start_url": "https://shop.example/start",
         *       "person": {
         *         "id": 731,
         *         "name": "ada@example.com",
         *         "distinct_ids": "ada",
         *         "properties": {
         *           "email": "ada@example.com",
         *           "plan": "pro"
         *         },
         *         "created_at": "2026-10-02T10:11:12.345Z",
         *         "uuid": "0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071"
         *       },
         *       "storage": "object_storage",
         *       "snapshot_source": "web",
         *       "ongoing": false,
         *       "activity_score": 22.76
         *     }
         */
        Recording: {
            id: string;
            /** @description Empty when its person was erased and the recording kept. */
            distinct_id: string;
            /** @description By the user whose key asks. */
            viewed: boolean;
            /** @description The e-mails of all others who have viewed it. */
            viewers: string[];
            /** @description Seconds from the first snapshot to the last. */
            recording_duration: number;
            /** @description In which somebody moved, clicked, scrolled or typed. */
            active_seconds: number;
            inactive_seconds: number;
            /** Format: date-time */
            start_time: string;
            /** Format: date-time */
            end_time: string;
            click_count: number;
            keypress_count: number;
            mouse_activity_count: number;
            console_log_count: number;
            console_warn_count: number;
            console_error_count: number;
            /** @description The first 512 characters. */
            start_url: string | null;
            person: components["schemas"]["RecordingPerson"];
            /** @constant */
            storage: "object_storage";
            /** @enum {string} */
            snapshot_source: "web" | "mobile";
            /** @description Something of it arrived in the last five minutes. */
            ongoing: boolean;
            /** @description How much happened in its time; PostHog’s formula. */
            activity_score: number;
        };
        /**
         * @example {
         *       "sources": [
         *         {
         *           "source": "blob_v2",
         *           "blob_key": "01a1fc87-edb9-7e53-8071-b177be79cec4",
         *           "start_timestamp": "2026-11-21T05:15:24.740Z",
         *           "end_timestamp": "2026-11-21T05:15:27.142Z"
         *         }
         *       ]
         *     }
         */
        SnapshotSources: {
            sources: {
                /** @constant */
                source: "blob_v2";
                /** @description Names the part in this same operation. */
                blob_key: string;
                /** Format: date-time */
                start_timestamp: string;
                /** Format: date-time */
                end_timestamp: string;
            }[];
        };
        /**
         * @example {
         *       "count": 1,
         *       "next": null,
         *       "previous": null,
         *       "results": [
         *         {
         *           "id": "01a1fc87-dc26-71e7-8a25-7ac44254cc16",
         *           "distinct_id": "ada",
         *           "viewed": false,
         *           "viewers": [
         *             "grace@example.com"
         *           ],
         *           "recording_duration": 18,
         *           "active_seconds": 0.102,
         *           "inactive_seconds": 17.898,
         *           "start_time": "2026-11-21T05:15:24.740Z",
         *           "end_time": "2026-11-21T05:15:42.262Z",
         *           "click_count": 3,
         *           "keypress_count": 5,
         *           "mouse_activity_count": 19,
         *           "console_log_count": 1,
         *           "console_warn_count": 1,
         *           "console_error_count": 1,
         *           "start_url": "https://shop.example/start",
         *           "person": {
         *             "id": 731,
         *             "name": "ada@example.com",
         *             "distinct_ids": "ada",
         *             "properties": {
         *               "email": "ada@example.com",
         *               "plan": "pro"
         *             },
         *             "created_at": "2026-10-02T10:11:12.345Z",
         *             "uuid": "0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071"
         *           },
         *           "storage": "object_storage",
         *           "snapshot_source": "web",
         *           "ongoing": false,
         *           "activity_score": 22.76
         *         }
         *       ]
         *     }
         */
        RecordingPage: {
            /** @description How many there are on all pages, exactly. */
            count: number;
            /** @description The next page, absolute; null on the last one. */
            next: string | null;
            /** @description The page before, absolute; null on the first one. */
            previous: string | null;
            results: components["schemas"]["Recording"][];
        };
        /**
         * @example {
         *       "created_at": "2026-11-21T05:15:31.657Z",
         *       "enabled": true,
         *       "access_token": "1-0PZ4hVxGd8mKJ5s2WcYkTqRtB7nLaXfUe"
         *     }
         */
        SharingConfiguration: {
            /** Format: date-time */
            created_at: string;
            enabled: boolean;
            /** @description While it is enabled, `/shared/{access_token}` asks for no key. */
            access_token: string;
        };
        /**
         * @example {
         *       "enabled": true
         *     }
         */
        SharingUpdate: {
            enabled: boolean;
        };
        SharedRecording: {
            id: string;
            /** @description Seconds from the first snapshot to the last. */
            recording_duration: number;
            /** @description In which somebody moved, clicked, scrolled or typed. */
            active_seconds: number;
            inactive_seconds: number;
            /** Format: date-time */
            start_time: string;
            /** Format: date-time */
            end_time: string;
            click_count: number;
            keypress_count: number;
            mouse_activity_count: number;
            console_log_count: number;
            console_warn_count: number;
            console_error_count: number;
            /** @description The first 512 characters. */
            start_url: string | null;
            /** @constant */
            storage: "object_storage";
            /** @enum {string} */
            snapshot_source: "web" | "mobile";
            /** @description Something of it arrived in the last five minutes. */
            ongoing: boolean;
            /** @description How much happened in its time; PostHog’s formula. */
            activity_score: number;
            /** @description Its parts, for `/shared/{access_token}/snapshots`. */
            sources: {
                /** @constant */
                source: "blob_v2";
                /** @description Names the part in this same operation. */
                blob_key: string;
                /** Format: date-time */
                start_timestamp: string;
                /** Format: date-time */
                end_timestamp: string;
            }[];
        };
        /**
         * @example {
         *       "count": 1,
         *       "results": [
         *         {
         *           "id": "$session_duration",
         *           "name": "$session_duration",
         *           "is_numerical": true,
         *           "property_type": "Duration",
         *           "is_seen_on_filtered_events": null,
         *           "tags": []
         *         }
         *       ]
         *     }
         */
        SessionProperties: {
            count: number;
            results: {
                /** @description The name again. */
                id: string;
                name: string;
                is_numerical: boolean;
                /** @enum {string} */
                property_type: "DateTime" | "String" | "Numeric" | "Duration" | "Boolean";
                is_seen_on_filtered_events: null;
                tags: string[];
            }[];
        };
        /**
         * @example {
         *       "results": [
         *         {
         *           "name": "google",
         *           "count": 812
         *         },
         *         {
         *           "name": "newsletter",
         *           "count": 77
         *         }
         *       ],
         *       "refreshing": false
         *     }
         */
        SessionValues: {
            results: {
                name: string;
                /** @description How many sessions have the value. */
                count: number;
            }[];
            /** @constant */
            refreshing: false;
        };
        /**
         * @example {
         *       "count": 1,
         *       "results": [
         *         {
         *           "id": "01a1f000-0000-7000-8000-00000000000a",
         *           "similarity": 0.94,
         *           "shared_steps": [
         *             "$pageview /",
         *             "$pageview /shoes/:id",
         *             "added to cart"
         *           ],
         *           "step_count": 4,
         *           "start_time": "2026-11-01T12:00:00.000Z",
         *           "recording_duration": 81.5
         *         }
         *       ],
         *       "steps": [
         *         "$pageview /",
         *         "$pageview /shoes/:id",
         *         "added to cart"
         *       ],
         *       "reason": null
         *     }
         */
        SimilarRecordings: {
            /** @description How many are listed. */
            count: number;
            /** @description The most similar first. */
            results: {
                id: string;
                similarity: number;
                /** @description The steps that both have in common, in their order. */
                shared_steps: string[];
                /** @description Of the other recording. */
                step_count: number;
                /** Format: date-time */
                start_time: string;
                /** @description Seconds. */
                recording_duration: number;
            }[];
            /** @description Those of the recording itself. */
            steps: string[];
            /** @description Why there can be no result; null when there can. */
            reason: string | null;
        };
        /**
         * @example {
         *       "title": "Weekly numbers",
         *       "paused": false
         *     }
         */
        SubscriptionChange: {
            /** @description A dashboard: its first ten insights are delivered. */
            dashboard?: number | null;
            /** @description An insight. With a dashboard both are delivered, with neither nothing is. */
            insight?: number | null;
            /** @enum {string} */
            target_type?: "email" | "slack" | "webhook";
            /** @description Up to 50 e-mail addresses with commas between them; of Slack an incoming webhook's URL; or a webhook's. */
            target_value?: string;
            /** @enum {string} */
            frequency?: "daily" | "weekly" | "monthly" | "yearly";
            /** @description Every so many days, weeks… */
            interval?: number;
            byweekday?: ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[] | null;
            /** @description Which of those weekdays in a period; −1 is the last. */
            bysetpos?: number | null;
            /** @description Occurrences from the start on. */
            count?: number | null;
            /** @description ISO 8601; gives the time of day. Without an offset it is on the clock of the time zone. */
            start_date?: string;
            until_date?: string | null;
            deleted?: boolean;
            title?: string | null;
            /** @description Put into the first message. */
            invite_message?: string | null;
            /** @description On whose clock it recurs; the project's unless given. */
            timezone?: string;
            /** @description `false` resumes a subscription that was paused. */
            paused?: boolean;
        };
        /**
         * @example {
         *       "insight": 44,
         *       "target_type": "email",
         *       "target_value": "ada@example.com, grace@example.com",
         *       "frequency": "weekly",
         *       "byweekday": [
         *         "monday"
         *       ],
         *       "start_date": "2026-11-23T09:00:00+01:00",
         *       "timezone": "Europe/Berlin"
         *     }
         */
        SubscriptionInput: {
            /** @description A dashboard: its first ten insights are delivered. */
            dashboard?: number | null;
            /** @description An insight. With a dashboard both are delivered, with neither nothing is. */
            insight?: number | null;
            /** @enum {string} */
            target_type: "email" | "slack" | "webhook";
            target_value: string;
            /** @enum {string} */
            frequency: "daily" | "weekly" | "monthly" | "yearly";
            /** @description Every so many days, weeks… */
            interval?: number;
            byweekday?: ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[] | null;
            /** @description Which of those weekdays in a period; −1 is the last. */
            bysetpos?: number | null;
            /** @description Occurrences from the start on. */
            count?: number | null;
            start_date: string;
            until_date?: string | null;
            deleted?: boolean;
            title?: string | null;
            /** @description Put into the first message. */
            invite_message?: string | null;
            /** @description On whose clock it recurs; the project's unless given. */
            timezone?: string;
        };
        /**
         * @example {
         *       "id": 9,
         *       "dashboard": null,
         *       "insight": 44,
         *       "target_type": "email",
         *       "target_value": "ada@example.com",
         *       "frequency": "weekly",
         *       "interval": 1,
         *       "byweekday": [
         *         "monday"
         *       ],
         *       "bysetpos": null,
         *       "count": null,
         *       "start_date": "2026-11-23T08:00:00.000Z",
         *       "until_date": null,
         *       "created_at": "2026-11-20T08:00:00.120Z",
         *       "created_by": {
         *         "id": 3,
         *         "uuid": "01a1f000-0000-7000-8000-00000000000a",
         *         "distinct_id": "grace",
         *         "first_name": "Grace",
         *         "last_name": "",
         *         "email": "grace@example.com",
         *         "is_email_verified": null,
         *         "hedgehog_config": null,
         *         "role_at_organization": null
         *       },
         *       "deleted": false,
         *       "title": "Weekly numbers",
         *       "summary": "sent every week on Monday",
         *       "next_delivery_date": "2026-11-23T08:00:00.000Z",
         *       "invite_message": null,
         *       "timezone": "Europe/Berlin",
         *       "paused": false,
         *       "paused_reason": null
         *     }
         */
        Subscription: {
            id: number;
            dashboard: number | null;
            insight: number | null;
            /** @enum {string} */
            target_type: "email" | "slack" | "webhook";
            target_value: string;
            /** @enum {string} */
            frequency: "daily" | "weekly" | "monthly" | "yearly";
            interval: number;
            byweekday: ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[] | null;
            bysetpos: number | null;
            count: number | null;
            /** Format: date-time */
            start_date: string;
            until_date: string | null;
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["User"];
            deleted: boolean;
            title: string | null;
            /** @description The schedule in words. */
            summary: string;
            /** @description Null when it is deleted, paused, or never occurs again. */
            next_delivery_date: string | null;
            invite_message: string | null;
            timezone: string;
            paused: boolean;
            paused_reason: string | null;
            /** @description What signs its webhooks. Only answered when it is created with one. */
            webhook_secret?: string;
        };
        /**
         * @example {
         *       "id": 21,
         *       "kind": "scheduled",
         *       "occurrence": "2026-11-23T08:00:00.000Z",
         *       "missed": 0,
         *       "status": "delivered",
         *       "attempts": 1,
         *       "next_attempt_at": null,
         *       "recipients": [
         *         {
         *           "target": "ada@example.com",
         *           "status": "sent",
         *           "repeated": false,
         *           "error": null
         *         }
         *       ],
         *       "error": null,
         *       "created_at": "2026-11-23T08:00:12.000Z",
         *       "finished_at": "2026-11-23T08:00:14.000Z"
         *     }
         */
        SubscriptionDelivery: {
            id: number;
            /**
             * @description `notice`: tells the owner that the subscription was paused.
             * @enum {string}
             */
            kind: "scheduled" | "test" | "notice";
            /**
             * Format: date-time
             * @description When it was due; of others when it was asked for.
             */
            occurrence: string;
            /** @description Earlier occurrences that were missed and came with this one. */
            missed: number;
            /** @enum {string} */
            status: "queued" | "sending" | "delivered" | "failed" | "skipped";
            attempts: number;
            next_attempt_at: string | null;
            recipients: {
                target: string;
                /** @enum {string} */
                status: "waiting" | "sending" | "sent" | "failed" | "unknown";
                /** @description Sent once more as nobody knew whether it had arrived: perhaps twice. */
                repeated: boolean;
                error: string | null;
            }[];
            error: string | null;
            /** Format: date-time */
            created_at: string;
            finished_at: string | null;
        };
        /**
         * @example {
         *       "count": 1,
         *       "next": null,
         *       "previous": null,
         *       "results": [
         *         {
         *           "id": 21,
         *           "kind": "scheduled",
         *           "occurrence": "2026-11-23T08:00:00.000Z",
         *           "missed": 0,
         *           "status": "delivered",
         *           "attempts": 1,
         *           "next_attempt_at": null,
         *           "recipients": [
         *             {
         *               "target": "ada@example.com",
         *               "status": "sent",
         *               "repeated": false,
         *               "error": null
         *             }
         *           ],
         *           "error": null,
         *           "created_at": "2026-11-23T08:00:12.000Z",
         *           "finished_at": "2026-11-23T08:00:14.000Z"
         *         }
         *       ]
         *     }
         */
        SubscriptionDeliveryPage: {
            /** @description How many there are on all pages, exactly. */
            count: number;
            /** @description The next page, absolute; null on the last one. */
            next: string | null;
            /** @description The page before, absolute; null on the first one. */
            previous: string | null;
            results: components["schemas"]["SubscriptionDelivery"][];
        };
        /**
         * @example {
         *       "count": 1,
         *       "next": null,
         *       "previous": null,
         *       "results": [
         *         {
         *           "id": 9,
         *           "dashboard": null,
         *           "insight": 44,
         *           "target_type": "email",
         *           "target_value": "ada@example.com",
         *           "frequency": "weekly",
         *           "interval": 1,
         *           "byweekday": [
         *             "monday"
         *           ],
         *           "bysetpos": null,
         *           "count": null,
         *           "start_date": "2026-11-23T08:00:00.000Z",
         *           "until_date": null,
         *           "created_at": "2026-11-20T08:00:00.120Z",
         *           "created_by": {
         *             "id": 3,
         *             "uuid": "01a1f000-0000-7000-8000-00000000000a",
         *             "distinct_id": "grace",
         *             "first_name": "Grace",
         *             "last_name": "",
         *             "email": "grace@example.com",
         *             "is_email_verified": null,
         *             "hedgehog_config": null,
         *             "role_at_organization": null
         *           },
         *           "deleted": false,
         *           "title": "Weekly numbers",
         *           "summary": "sent every week on Monday",
         *           "next_delivery_date": "2026-11-23T08:00:00.000Z",
         *           "invite_message": null,
         *           "timezone": "Europe/Berlin",
         *           "paused": false,
         *           "paused_reason": null
         *         }
         *       ]
         *     }
         */
        SubscriptionPage: {
            /** @description How many there are on all pages, exactly. */
            count: number;
            /** @description The next page, absolute; null on the last one. */
            next: string | null;
            /** @description The page before, absolute; null on the first one. */
            previous: string | null;
            results: components["schemas"]["Subscription"][];
        };
        /**
         * @example {
         *       "summary": "sent every week on Monday",
         *       "timezone": "Europe/Berlin",
         *       "results": [
         *         "2026-11-23T08:00:00.000Z"
         *       ]
         *     }
         */
        SubscriptionPreview: {
            summary: string;
            timezone: string;
            results: string[];
        };
        /**
         * @example {
         *       "points": [
         *         {
         *           "timestamp": "2026-10-01T00:00:00.000Z",
         *           "properties": {
         *             "plan": "free"
         *           },
         *           "relevant_event_count": 2
         *         },
         *         {
         *           "timestamp": "2026-10-02T08:00:00.000Z",
         *           "properties": {
         *             "plan": "pro"
         *           },
         *           "relevant_event_count": 1
         *         }
         *       ],
         *       "crucial_property_keys": [
         *         "plan"
         *       ],
         *       "effective_date_from": "2026-09-29T00:00:00.000Z",
         *       "effective_date_to": "2026-10-05T23:59:59.999Z"
         *     }
         */
        PropertiesTimeline: {
            points: {
                /**
                 * Format: date-time
                 * @description Of the first event of this state.
                 */
                timestamp: string;
                /** @description All properties that the person had at that event. */
                properties: {
                    [key: string]: unknown;
                };
                /** @description How many events came before the next point. */
                relevant_event_count: number;
            }[];
            /** @description A change of any of them starts a new point. */
            crucial_property_keys: string[];
            /** Format: date-time */
            effective_date_from: string;
            /**
             * Format: date-time
             * @description The last millisecond of the range.
             */
            effective_date_to: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    livez: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alive"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ready. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not ready. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    batch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Capture"];
            };
        };
        responses: {
            /** @description At least one event was taken; `dropped` has the others. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Captured"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
        };
    };
    e: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Capture"];
            };
        };
        responses: {
            /** @description At least one event was taken; `dropped` has the others. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Captured"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
        };
    };
    i_v0_e: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Capture"];
            };
        };
        responses: {
            /** @description At least one event was taken; `dropped` has the others. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Captured"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
        };
    };
    capture: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Capture"];
            };
        };
        responses: {
            /** @description At least one event was taken; `dropped` has the others. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Captured"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
        };
    };
    track: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Capture"];
            };
        };
        responses: {
            /** @description At least one event was taken; `dropped` has the others. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Captured"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
        };
    };
    engage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Capture"];
            };
        };
        responses: {
            /** @description At least one event was taken; `dropped` has the others. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Captured"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
        };
    };
    s: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Snapshots"];
            };
        };
        responses: {
            /** @description At least one event was taken; `dropped` has the others. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Captured"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureError"];
                };
            };
        };
    };
    flags: {
        parameters: {
            query?: {
                /** @description The version of the answer. */
                v?: string;
                /** @description `true`: with the configuration. */
                config?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FlagsRequest"];
            };
        };
        responses: {
            /** @description No flags. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Flags"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    decide: {
        parameters: {
            query?: {
                /** @description The version of the answer. */
                v?: string;
                /** @description `true`: with the configuration. */
                config?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FlagsRequest"];
            };
        };
        responses: {
            /** @description No flags. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Flags"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    array_config: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's capture token. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The configuration. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemoteConfig"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    array_config_js: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's capture token. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The script. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript": string;
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    surveys: {
        parameters: {
            query: {
                /** @description The project's capture token. */
                token: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description There are none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Surveys"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An OpenAPI 3.1 document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenApi"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    docs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    unsubscribe_page: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description From the link in an e-mail. */
                ticket: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    unsubscribe: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description From the link in an e-mail. */
                ticket: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    shared: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the sharing configuration. */
                access_token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The recording and its parts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharedRecording"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    shared_snapshots: {
        parameters: {
            query?: {
                /** @description As the list of parts says it. */
                source?: "blob_v2";
                /** @description One part, as the list names it. */
                blob_key?: string;
            };
            header?: never;
            path: {
                /** @description Of the sharing configuration. */
                access_token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The parts, or the snapshots of one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotSources"];
                    "application/jsonl": string;
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    persons_activity_list: {
        parameters: {
            query?: {
                /** @description Results per page, 100 unless given and never more than 1000. CSV has all results unless it is given. */
                limit?: number;
                /** @description Index of the first result, 0 unless given. */
                offset?: number;
                /** @description Comes with `next`: where the page before ended, so that page 10,000 costs what page 1 does. */
                cursor?: string;
                /** @description The number of the page, instead of `offset`. */
                page?: number;
                /** @description Of the answer; an error is JSON in any case. Without it, `Accept: text/csv` asks for CSV. */
                format?: "json" | "csv";
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivityPage"];
                    /**
                     * @example activity,created_at,detail.changes,detail.name,detail.short_id,detail.trigger,detail.type,id,item_id,key.id,key.label,scope,user.email,user.first_name,user.id,user.is_system
                     *     updated,2026-10-02T10:11:12.345Z,"[{""type"":""Person"",""action"":""changed"",""field"":""properties"",""before"":{""plan"":""free""},""after"":{""plan"":""pro""}}]",,,,,0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071,731,3,support,Person,grace@example.com,Grace,1,false
                     */
                    "text/csv": string;
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    persons_activity: {
        parameters: {
            query?: {
                /** @description Results per page, 100 unless given and never more than 1000. CSV has all results unless it is given. */
                limit?: number;
                /** @description Index of the first result, 0 unless given. */
                offset?: number;
                /** @description Comes with `next`: where the page before ended, so that page 10,000 costs what page 1 does. */
                cursor?: string;
                /** @description The number of the page, instead of `offset`. */
                page?: number;
                /** @description Of the answer; an error is JSON in any case. Without it, `Accept: text/csv` asks for CSV. */
                format?: "json" | "csv";
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The person's integer id, or its uuid. */
                id: number | string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivityPage"];
                    /**
                     * @example activity,created_at,detail.changes,detail.name,detail.short_id,detail.trigger,detail.type,id,item_id,key.id,key.label,scope,user.email,user.first_name,user.id,user.is_system
                     *     updated,2026-10-02T10:11:12.345Z,"[{""type"":""Person"",""action"":""changed"",""field"":""properties"",""before"":{""plan"":""free""},""after"":{""plan"":""pro""}}]",,,,,0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071,731,3,support,Person,grace@example.com,Grace,1,false
                     */
                    "text/csv": string;
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    persons_retrieve: {
        parameters: {
            query?: {
                /** @description Of the answer; an error is JSON in any case. Without it, `Accept: text/csv` asks for CSV. */
                format?: "json" | "csv";
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The person's integer id, or its uuid. */
                id: number | string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The person, with every distinct id. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Person"];
                    /**
                     * @example created_at,distinct_ids,id,name,properties.email,properties.plan,uuid
                     *     2026-10-02T10:11:12.345Z,"[""ada"",""0191a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b""]",731,ada@example.com,ada@example.com,pro,0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071
                     */
                    "text/csv": string;
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    persons_delete: {
        parameters: {
            query?: {
                /** @description Whether the recordings of its sessions go too, at once. */
                delete_recordings?: boolean;
                /** @description Whether the events go too, with the next weekly batch (Sunday 05:00 UTC). */
                delete_events?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The person's integer id, or its uuid. */
                id: number | string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    persons_update: {
        parameters: {
            query?: {
                /** @description Of the answer; an error is JSON in any case. Without it, `Accept: text/csv` asks for CSV. */
                format?: "json" | "csv";
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The person's integer id, or its uuid. */
                id: number | string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PersonUpdate"];
            };
        };
        responses: {
            /** @description The person as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Person"];
                    /**
                     * @example created_at,distinct_ids,id,name,properties.email,properties.plan,uuid
                     *     2026-10-02T10:11:12.345Z,"[""ada"",""0191a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b""]",731,ada@example.com,ada@example.com,pro,0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071
                     */
                    "text/csv": string;
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is of a type that is not read here. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    persons_bulk_delete: {
        parameters: {
            query?: {
                /** @description Whether the recordings of its sessions go too, at once. */
                delete_recordings?: boolean;
                /** @description Whether the events go too, with the next weekly batch (Sunday 05:00 UTC). */
                delete_events?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkDelete"];
            };
        };
        responses: {
            /** @description What became of each. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkDeleted"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is of a type that is not read here. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    persons_deletion_status: {
        parameters: {
            query?: {
                /** @description Results per page, 100 unless given and never more than 1000. CSV has all results unless it is given. */
                limit?: number;
                /** @description Index of the first result, 0 unless given. */
                offset?: number;
                /** @description Comes with `next`: where the page before ended, so that page 10,000 costs what page 1 does. */
                cursor?: string;
                /** @description `pending` is everything that is not `completed`. */
                status?: "all" | "pending" | "queued" | "running" | "completed" | "failed";
                /** @description The tasks of this deleted person. */
                person_uuid?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of tasks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletionTaskPage"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    persons_verify_deletion_receipt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PresentedReceipt"];
            };
        };
        responses: {
            /** @description Whether the receipt is genuine. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceiptVerification"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is of a type that is not read here. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    persons_list: {
        parameters: {
            query?: {
                /** @description Results per page, 100 unless given and never more than 1000. CSV has all results unless it is given. */
                limit?: number;
                /** @description Index of the first result, 0 unless given. */
                offset?: number;
                /** @description Comes with `next`: where the page before ended, so that page 10,000 costs what page 1 does. */
                cursor?: string;
                /** @description Of the answer; an error is JSON in any case. Without it, `Accept: text/csv` asks for CSV. */
                format?: "json" | "csv";
                /** @description The person with exactly this distinct id. */
                distinct_id?: string;
                /** @description Persons with exactly this property `email`, upper and lower case told apart. */
                email?: string;
                /** @description A part of the e-mail, name or username in any case, or exactly a distinct id or uuid. */
                search?: string;
                /**
                 * @description Filters as JSON text: an array of which all have to match, one filter, or a group: `[{"key":"plan","operator":"exact","value":["pro","team"]}]`, `{"type":"OR","values":[…]}`. Given several times, all have to match. Also `properties[0][key]=plan&properties[0][value]=pro`. At most 40 filters, 5 groups inside each other and 1000 values a filter. What is wrong with a filter is a 400 that names it.
                 *
                 *     A missing or null property fulfils only `is_not`, `not_in`, `not_icontains`, `not_icontains_multi`, `not_regex` and `is_not_set`.
                 *
                 *     | Operators | fulfilled when the property |
                 *     |---|---|
                 *     | `exact` `in` · `is_not` `not_in` | is one of the values · is none of them |
                 *     | `icontains` `icontains_multi` · `not_icontains` `not_icontains_multi` | contains a value, in any case · contains none |
                 *     | `regex` · `not_regex` | matches the pattern (RE2 syntax, found anywhere, at most 1,000 characters) · does not |
                 *     | `gt` `gte` `min` `lt` `lte` `max` | is a number greater, greater or equal, less, less or equal |
                 *     | `between` · `not_between` | is a number from the lower to the higher of two values · is a number outside |
                 *     | `is_set` · `is_not_set` | is there · is missing or null; no value is needed |
                 *     | `is_date_exact` `is_date_before` `is_date_after` | is a date compared with an ISO 8601 date or a relative one such as `-7d` |
                 *     | `semver_eq` `_neq` `_gt` `_gte` `_lt` `_lte` `_tilde` `_caret` `_wildcard` | is a version compared with one, or with a pattern such as `1.2.*` |
                 */
                properties?: string[];
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of persons. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonPage"];
                    /**
                     * @example created_at,distinct_ids,id,name,properties.email,properties.plan,uuid
                     *     2026-10-02T10:11:12.345Z,"[""ada"",""0191a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b""]",731,ada@example.com,ada@example.com,pro,0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071
                     */
                    "text/csv": string;
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    persons_delete_property: {
        parameters: {
            query?: {
                /** @description The key of the property to delete. */
                $unset?: string;
                /** @description Of the answer; an error is JSON in any case. Without it, `Accept: text/csv` asks for CSV. */
                format?: "json" | "csv";
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The person's integer id, or its uuid. */
                id: number | string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DeleteProperty"];
            };
        };
        responses: {
            /** @description The person is without the property. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                    /**
                     * @example success
                     *     true
                     */
                    "text/csv": string;
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is of a type that is not read here. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    persons_split: {
        parameters: {
            query?: {
                /** @description Of the answer; an error is JSON in any case. Without it, `Accept: text/csv` asks for CSV. */
                format?: "json" | "csv";
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The person's integer id, or its uuid. */
                id: number | string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SplitRequest"];
            };
        };
        responses: {
            /** @description The new persons. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Split"];
                    /**
                     * @example persons,success
                     *     "[{""id"":732,""name"":""ada-phone"",""distinct_ids"":[""ada-phone""],""properties"":{},""created_at"":""2026-10-02T10:11:12.345Z"",""uuid"":""0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6072""}]",true
                     */
                    "text/csv": string;
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is of a type that is not read here. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    persons_properties_timeline: {
        parameters: {
            query?: {
                /** @description Only these events count: `[{"id":"$pageview","properties":[…]}]` or `["$pageview"]`. Else all do. */
                events?: string;
                /** @description Not supported: only an empty list is allowed. */
                actions?: string;
                /** @description A property, or a list of them. */
                breakdown?: string | string[];
                /** @description Whose property the breakdown is: only a person’s is looked at. */
                breakdown_type?: "event" | "person" | "session";
                /** @description Where the timeline begins, 7 days ago unless given; `all` is possible. */
                date_from?: string;
                /** @description The day with which it ends, today unless given, or the exact time. */
                date_to?: string;
                /** @description How long the timeline is whose `date_from` and `date_to` are the same. */
                interval?: "minute" | "hour" | "day" | "week" | "month";
                /** @description Makes no difference. */
                display?: string;
                /** @description Of the answer; an error is JSON in any case. Without it, `Accept: text/csv` asks for CSV. */
                format?: "json" | "csv";
                /** @description Property filters as JSON text, as persons are listed by, except that one without a `type` is of events: the keys of those of persons count. */
                properties?: string[];
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The person's integer id, or its uuid. */
                id: number | string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The points, in order of time. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PropertiesTimeline"];
                    /**
                     * @example properties.plan,relevant_event_count,timestamp
                     *     free,2,2026-10-01T00:00:00.000Z
                     *     pro,1,2026-10-02T08:00:00.000Z
                     */
                    "text/csv": string;
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    insights_trend_by_url: {
        parameters: {
            query?: {
                /** @description Of the answer; an error is JSON in any case. Without it, `Accept: text/csv` asks for CSV. */
                format?: "json" | "csv";
                /** @description How many breakdown values to leave out, the highest first; see `next`. */
                offset?: number;
                /** @description A `TrendsQuery` node, as JSON: it counts instead of all others. */
                query?: string;
                /** @description A filter object, as JSON: it counts instead of the fields beside it. */
                filters?: string;
                /** @description The series, as JSON: `[{"id":"$pageview","math":"dau"}]`. */
                events?: string;
                /** @description `-7d` unless given. */
                date_from?: string;
                /** @description Today unless given. */
                date_to?: string;
                /** @description `minute`, `hour`, `day` (unless given), `week` or `month`. */
                interval?: string;
                /** @description Property filters for all series, as JSON. */
                properties?: string;
                /** @description `true`: without the project's test accounts. */
                filter_test_accounts?: string;
                /** @description How the numbers are put together, of the time axis or of the whole range. */
                display?: string;
                /** @description The property to break down by. */
                breakdown?: string;
                /** @description `event` (unless given), `person` or `session`. */
                breakdown_type?: string;
                /** @description Several properties to break down by, as JSON. */
                breakdowns?: string;
                /** @description How many values are shown. */
                breakdown_limit?: string;
                /** @description `true`: also the period before. */
                compare?: string;
                /** @description How much earlier that one begins, such as `-1w`. */
                compare_to?: string;
                /** @description What to compute of the series `A`, `B`… */
                formula?: string;
                /** @description Over how many points each is averaged. */
                smoothing_intervals?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A series for each line of the trend. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trend"];
                    /**
                     * @example series,1-Jun-2025,2-Jun-2025,3-Jun-2025
                     *     $pageview,0,3,4
                     */
                    "text/csv": string;
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    insights_trend: {
        parameters: {
            query?: {
                /** @description Of the answer; an error is JSON in any case. Without it, `Accept: text/csv` asks for CSV. */
                format?: "json" | "csv";
                /** @description How many breakdown values to leave out, the highest first; see `next`. */
                offset?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["InsightFields"];
            };
        };
        responses: {
            /** @description A series for each line of the trend. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trend"];
                    /**
                     * @example series,1-Jun-2025,2-Jun-2025,3-Jun-2025
                     *     $pageview,0,3,4
                     */
                    "text/csv": string;
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is of a type that is not read here. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    insights_list: {
        parameters: {
            query?: {
                /** @description Results per page, 100 unless given and never more than 1000. CSV has all results unless it is given. */
                limit?: number;
                /** @description Index of the first result, 0 unless given. */
                offset?: number;
                /** @description Only the one with this short id. */
                short_id?: string;
                /** @description Only those that are saved, or are not. */
                saved?: boolean;
                /** @description Only those that are favorites, or are not. */
                favorited?: boolean;
                /** @description Part of the name or the description; the case of A to Z makes no difference. */
                search?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of insights. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InsightPage"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    insights_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["InsightInput"];
            };
        };
        responses: {
            /** @description The insight. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Insight"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is of a type that is not read here. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    insights_retrieve: {
        parameters: {
            query?: {
                /** @description Anything but `false` computes the `result`; it is never taken from a cache. */
                refresh?: "true" | "false" | "blocking" | "force_blocking";
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The integer id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The insight. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Insight"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    insights_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The integer id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    insights_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The integer id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["InsightInput"];
            };
        };
        responses: {
            /** @description The insight. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Insight"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is of a type that is not read here. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    dashboards_list: {
        parameters: {
            query?: {
                /** @description Results per page, 100 unless given and never more than 1000. CSV has all results unless it is given. */
                limit?: number;
                /** @description Index of the first result, 0 unless given. */
                offset?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of dashboards. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DashboardPage"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    dashboards_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DashboardInput"];
            };
        };
        responses: {
            /** @description The dashboard. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DashboardSummary"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is of a type that is not read here. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    dashboards_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The integer id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The dashboard. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dashboard"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    dashboards_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The integer id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    dashboards_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The integer id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DashboardInput"];
            };
        };
        responses: {
            /** @description The dashboard. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DashboardSummary"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is of a type that is not read here. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    session_recordings_ai_filters: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RecordingFiltersInput"];
            };
        };
        responses: {
            /** @description The filters, or a question. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordingFiltersAnswer"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is of a type that is not read here. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    session_recordings_ai_regex: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RegexInput"];
            };
        };
        responses: {
            /** @description The pattern, or why there is none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegexAnswer"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is of a type that is not read here. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    session_recordings_list: {
        parameters: {
            query?: {
                /** @description Results per page, 100 unless given and never more than 1000. CSV has all results unless it is given. */
                limit?: number;
                /** @description Index of the first result, 0 unless given. */
                offset?: number;
                /** @description Comes with `next`: where the page before ended, so that page 10,000 costs what page 1 does. */
                cursor?: string;
                /** @description Of this person: its integer id or its uuid. */
                person?: string;
                /** @description The same. */
                person_uuid?: string;
                /** @description With exactly this distinct id. */
                distinct_id?: string;
                /** @description With any of these: a JSON array. */
                distinct_ids?: string;
                /** @description Only these: a JSON array. */
                session_ids?: string;
                /** @description Begun then or later: `-7d`, `2026-11-20`, or a date-time. */
                date_from?: string;
                /** @description Begun until then; a bare date is that whole day. */
                date_to?: string;
                /** @description In whose session each of these events happened: a JSON array of names, or of objects with `id`, the name (null for any), and `properties`, filters that the event has to match. */
                events?: string;
                /** @description Whether all of `events` and of the filters in `properties` have to hold, or any. All else always has to. */
                operand?: "AND" | "OR";
                /** @description Also with the project's filters of test accounts. */
                filter_test_accounts?: boolean;
                /** @description Filters of type `recording`, as JSON: `[{"key":"duration","type":"recording","operator":"gt","value":60}]`. Keys: `recording_duration` `duration` `active_seconds` `inactive_seconds` `click_count` `keypress_count` `mouse_activity_count` `console_log_count` `console_warn_count` `console_error_count` `activity_score` `start_url` `visited_page` `snapshot_source`. */
                having_predicates?: string;
                /** @description Not supported: has to be empty. */
                actions?: string | "" | unknown[];
                /** @description Not supported: has to be empty. */
                console_log_filters?: string | "" | unknown[];
                /** @description Not supported: has to be empty. */
                comment_text?: string | "" | unknown[];
                /** @description What the recordings are ordered by; `-` before it is left out. */
                order?: "start_time" | "recording_duration" | "duration" | "active_seconds" | "inactive_seconds" | "click_count" | "keypress_count" | "mouse_activity_count" | "console_log_count" | "console_warn_count" | "console_error_count" | "activity_score";
                /** @description The highest first, unless it is `asc`. */
                order_direction?: "asc" | "desc";
                /**
                 * @description Filters as JSON text: an array of which all have to match, one filter, or a group: `[{"key":"plan","operator":"exact","value":["pro","team"]}]`, `{"type":"OR","values":[…]}`. Given several times, all have to match. Also `properties[0][key]=plan&properties[0][value]=pro`. At most 40 filters, 5 groups inside each other and 1000 values a filter. What is wrong with a filter is a 400 that names it.
                 *
                 *     A missing or null property fulfils only `is_not`, `not_in`, `not_icontains`, `not_icontains_multi`, `not_regex` and `is_not_set`.
                 *
                 *     | Operators | fulfilled when the property |
                 *     |---|---|
                 *     | `exact` `in` · `is_not` `not_in` | is one of the values · is none of them |
                 *     | `icontains` `icontains_multi` · `not_icontains` `not_icontains_multi` | contains a value, in any case · contains none |
                 *     | `regex` · `not_regex` | matches the pattern (RE2 syntax, found anywhere, at most 1,000 characters) · does not |
                 *     | `gt` `gte` `min` `lt` `lte` `max` | is a number greater, greater or equal, less, less or equal |
                 *     | `between` · `not_between` | is a number from the lower to the higher of two values · is a number outside |
                 *     | `is_set` · `is_not_set` | is there · is missing or null; no value is needed |
                 *     | `is_date_exact` `is_date_before` `is_date_after` | is a date compared with an ISO 8601 date or a relative one such as `-7d` |
                 *     | `semver_eq` `_neq` `_gt` `_gte` `_lt` `_lte` `_tilde` `_caret` `_wildcard` | is a version compared with one, or with a pattern such as `1.2.*` |
                 */
                properties?: string[];
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of recordings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordingPage"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    session_recordings_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The recording. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recording"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    session_recordings_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    session_recordings_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecordingUpdate"];
            };
        };
        responses: {
            /** @description The recording as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recording"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is of a type that is not read here. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    session_recordings_snapshots: {
        parameters: {
            query?: {
                /** @description As the list of parts says it. */
                source?: "blob_v2";
                /** @description One part, as the list names it. */
                blob_key?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The parts, or the snapshots of one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotSources"];
                    "application/jsonl": string;
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    session_recordings_sharing_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The id of the session. */
                recording_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether it is shared, and its token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharingConfiguration"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    session_recordings_sharing_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The id of the session. */
                recording_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SharingUpdate"];
            };
        };
        responses: {
            /** @description Whether it is shared, and its token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharingConfiguration"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is of a type that is not read here. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    session_recordings_sharing_refresh: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The id of the session. */
                recording_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether it is shared, and its new token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharingConfiguration"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    subscriptions_list: {
        parameters: {
            query?: {
                /** @description Results per page, 100 unless given and never more than 1000. CSV has all results unless it is given. */
                limit?: number;
                /** @description Index of the first result, 0 unless given. */
                offset?: number;
                /** @description Only those of this dashboard. */
                dashboard?: number;
                /** @description Only those of this insight. */
                insight?: number;
                /** @description `true` lists those that are deleted, and only those. */
                deleted?: boolean;
                /** @description Part of the title, or of the name of the dashboard or insight; the case of A to Z makes no difference. */
                search?: string;
                /** @description The newest first unless given. With `-` from the highest down. */
                ordering?: "created_at" | "-created_at" | "next_delivery_date" | "-next_delivery_date" | "title" | "-title" | "created_by__email" | "-created_by__email";
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of subscriptions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionPage"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    subscriptions_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of any choice: the same request with the same key within 24 hours is done once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionInput"];
            };
        };
        responses: {
            /** @description The subscription. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request contradicts an earlier one. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is of a type that is not read here. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    subscriptions_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The integer id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subscription, also a deleted one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    subscriptions_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The integer id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    subscriptions_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The integer id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SubscriptionChange"];
            };
        };
        responses: {
            /** @description The subscription. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is of a type that is not read here. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    subscriptions_preview: {
        parameters: {
            query?: {
                /** @description How many. */
                n?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The integer id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The next occurrences. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionPreview"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    subscriptions_deliveries_list: {
        parameters: {
            query?: {
                /** @description Results per page, 100 unless given and never more than 1000. CSV has all results unless it is given. */
                limit?: number;
                /** @description Index of the first result, 0 unless given. */
                offset?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The integer id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionDeliveryPage"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    subscriptions_test: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The integer id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery, which is on its way. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionDelivery"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    sessions_property_definitions: {
        parameters: {
            query?: {
                /** @description Words, of which the name has to contain each, in any case. */
                search?: string;
                /** @description Only those that are numbers, or only the others. */
                is_numerical?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The properties. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionProperties"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    sessions_values: {
        parameters: {
            query: {
                /**
                 * @description A session property.
                 * @example $entry_utm_source
                 */
                key: "$start_timestamp" | "$end_timestamp" | "$entry_current_url" | "$entry_pathname" | "$entry_hostname" | "$entry_referrer" | "$entry_referring_domain" | "$entry_utm_source" | "$entry_utm_campaign" | "$entry_utm_medium" | "$entry_utm_term" | "$entry_utm_content" | "$entry_gclid" | "$entry_gad_source" | "$entry_gclsrc" | "$entry_dclid" | "$entry_gbraid" | "$entry_wbraid" | "$entry_fbclid" | "$entry_msclkid" | "$entry_twclid" | "$entry_li_fat_id" | "$entry_mc_cid" | "$entry_igshid" | "$entry_ttclid" | "$entry__kx" | "$entry_irclid" | "$channel_type" | "$end_current_url" | "$end_pathname" | "$end_hostname" | "$last_external_click_url" | "$pageview_count" | "$autocapture_count" | "$screen_count" | "$vitals_lcp" | "$session_duration" | "$is_bounce";
                /** @description What a value has to contain, in any case. */
                value?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The values. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionValues"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    session_recordings_similar: {
        parameters: {
            query?: {
                /** @description How many to list at most, 10 unless given. */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The project's integer id, or `@current`: the only project that the key reaches.
                 * @example @current
                 */
                project_id: string;
                /** @description The id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The most similar recordings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SimilarRecordings"];
                };
            };
            /** @description The request is wrong; `attr` names the field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no key (or token, for capture), or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such project for this key, or no such object in it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has sent too many requests in this minute. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something unexpected happened; the log has it under the `X-Request-Id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot take the request now; the same request may succeed later. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
