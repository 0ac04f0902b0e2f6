import { invitationRoutes } from './access/invitations/routes.ts'
import { keyRoutes } from './access/keys/routes.ts'
import { projectListRoutes, projectRoutes, userRoutes } from './access/routes.ts'
import { accessLogRoutes } from './access-log/routes.ts'
import { aiRoutes } from './ai/routes.ts'
import { annotationRoutes } from './annotations/routes.ts'
import { createCaptureV1Routes } from './capture/analytics/routes.ts'
import { createReplayLink } from './capture/replay/routes.ts'
import { createCaptureRoutes } from './capture/routes.ts'
import { createSdkRoutes } from './capture/sdk/routes.ts'
import { createTokenReader } from './capture/token.ts'
import { cohortRoutes } from './cohorts/routes.ts'
import { removalRoutes } from './erasures/events/routes.ts'
import { keptDataRoutes } from './erasures/kept-data/routes.ts'
import { mentionRoutes } from './erasures/mentions/routes.ts'
import { erasureRoutes } from './erasures/persons/routes.ts'
import { receiptKeyRoutes, receiptRoutes } from './erasures/receipts/routes.ts'
import { suppressionRoutes } from './erasures/suppressions/routes.ts'
import { definitionRoutes } from './events/definitions/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { keepPrivate } from './http/caching.ts'
import { allowPages } from './http/cors.ts'
import { createRouter } from './http/env.ts'
import { answerError, answerUnrouted } from './http/errors.ts'
import { expectHost } from './http/host.ts'
import { explainUnrouted } from './http/notice.ts'
import { startRequest } from './http/request.ts'
import { secureAnswers } from './http/security.ts'
import { chartRoutes } from './insights/charts/routes.ts'
import { dashboardRoutes } from './insights/dashboards/routes.ts'
import { legacyRoutes } from './insights/legacy/routes.ts'
import { insightRoutes } from './insights/routes.ts'
import { trendActorRoutes } from './insights/trend/actors/routes.ts'
import { trendRoutes } from './insights/trend/routes.ts'
import { activityRoutes } from './persons/activity/routes.ts'
import { personRoutes } from './persons/routes.ts'
import { timelineRoutes } from './persons/timelines/routes.ts'
import { queryRoutes } from './query/routes.ts'
import type { ConsumerWork } from './queues/run.ts'
import { recordingRoutes } from './recordings/routes.ts'
import { similarRoutes } from './recordings/similar/routes.ts'
import { absentRoutes } from './service/absent/routes.ts'
import { createDocsRoutes } from './service/docs/routes.ts'
import { createHealthReader } from './service/health/check.ts'
import { createHealthRoutes } from './service/health/routes.ts'
import { createHomeRoutes } from './service/home/routes.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { sharedRoutes } from './sharing/routes.ts'
import { boardSharingRoutes, recordingSharingRoutes } from './sharing/settings/routes.ts'
import { alertRoutes } from './subscriptions/alerts/routes.ts'
import { deliveryRoutes } from './subscriptions/deliveries/routes.ts'
import { pictureRoutes } from './subscriptions/picture/routes.ts'
import { subscriptionRoutes } from './subscriptions/routes.ts'
import { unsubscribeRoutes } from './subscriptions/unsubscribe/routes.ts'

/**
 * Creates the app: its middleware, in order, and all its routes. `clock` is the only source of
 * time; `work` returns the counts of this isolate's queue batches and retries, for the health check
 * and the home page.
 */
export function createApp(clock: () => Date, work: () => ConsumerWork) {
  const app = createRouter()
  app.use(startRequest(clock), secureAnswers, allowPages, keepPrivate, expectHost)
  app.onError(answerError)
  // For each unrouted request, looks up which methods the finished app has for the path.
  app.notFound(explainUnrouted(answerUnrouted(() => app)))

  const readHealth = createHealthReader(work)
  app.route('/', createHomeRoutes(readHealth))
  app.route('/', createHealthRoutes(readHealth))
  const tokens = createTokenReader()
  app.route('/', createCaptureRoutes(tokens))
  app.route('/', createCaptureV1Routes(tokens))
  app.route('/', createSdkRoutes(tokens))
  app.route('/', createReplayLink(tokens))
  app.route('/', createDocsRoutes(app))
  app.route('/', unsubscribeRoutes)
  app.route('/', pictureRoutes)
  app.route('/', sharedRoutes)
  app.route('/', receiptKeyRoutes)
  app.route('/', userRoutes)
  app.route('/', keyRoutes)
  app.route('/', invitationRoutes)
  for (const prefix of ['/api/environments', '/api/projects']) {
    app.route(prefix, projectListRoutes)
  }
  for (const prefix of ['/api/environments/:project_id', '/api/projects/:project_id']) {
    app.route(prefix, projectRoutes)
    app.route(prefix, accessLogRoutes)
    // `persons/activity`, `persons/deletion_status` and `persons/suppressions` must come before
    // `persons/:id`.
    app.route(prefix, activityRoutes)
    app.route(prefix, erasureRoutes)
    app.route(prefix, receiptRoutes)
    app.route(prefix, keptDataRoutes)
    app.route(prefix, suppressionRoutes)
    app.route(prefix, personRoutes)
    app.route(prefix, mentionRoutes)
    app.route(prefix, timelineRoutes)
    // `insights/trend`, `insights/funnel` and `insights/retention` must come before `insights/:id`.
    app.route(prefix, trendRoutes)
    app.route(prefix, legacyRoutes)
    app.route(prefix, trendActorRoutes)
    app.route(prefix, queryRoutes)
    app.route(prefix, insightRoutes)
    app.route(prefix, chartRoutes)
    app.route(prefix, dashboardRoutes)
    app.route(prefix, boardSharingRoutes)
    app.route(prefix, annotationRoutes)
    app.route(prefix, cohortRoutes)
    app.route(prefix, aiRoutes)
    app.route(prefix, recordingRoutes)
    app.route(prefix, recordingSharingRoutes)
    app.route(prefix, subscriptionRoutes)
    app.route(prefix, deliveryRoutes)
    app.route(prefix, alertRoutes)
    app.route(prefix, sessionRoutes)
    app.route(prefix, similarRoutes)
    app.route(prefix, eventRoutes)
    app.route(prefix, removalRoutes)
    app.route(prefix, definitionRoutes)
    app.route(prefix, absentRoutes)
  }
  return app
}
