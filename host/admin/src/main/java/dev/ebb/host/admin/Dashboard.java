package dev.ebb.host.admin;

import dev.ebb.host.htmlreport.HtmlPage;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The operators' dashboard page. The page contains no data and therefore needs no token. Its script
 * calls the API like any other client, with the token if there is one.
 */
final class Dashboard {

  private static final List<String> STYLES =
      List.of(
          "dashboard/layout.css",
          "dashboard/glance.css",
          "dashboard/panels.css",
          "dashboard/pool.css",
          "dashboard/cluster.css",
          "dashboard/dialog.css",
          "dashboard/log.css",
          "dashboard/phone.css");

  private static final List<String> SCRIPTS =
      List.of(
          "dashboard/units.js",
          "dashboard/dialog.js",
          "dashboard/api.js",
          "dashboard/answers.js",
          "dashboard/tables.js",
          "dashboard/course.js",
          "dashboard/timeline.js",
          "dashboard/charts.js",
          "dashboard/glance.js",
          "dashboard/policy.js",
          "dashboard/uses.js",
          "dashboard/map.js",
          "dashboard/pool.js",
          "dashboard/switches.js",
          "dashboard/plugins.js",
          "dashboard/entry.js",
          "dashboard/evictions.js",
          "dashboard/pins.js",
          "dashboard/feed.js");

  /** Scripts for the pages of clients' values. */
  private static final List<String> VALUES =
      List.of(
          "dashboard/candidates.js",
          "dashboard/tenants.js",
          "dashboard/states.js",
          "dashboard/cluster.js",
          "dashboard/values.js");

  /** Scripts for the pages of an engine's sequences. */
  private static final List<String> SEQUENCES =
      List.of("dashboard/requests.js", "dashboard/sequences.js");

  private final Reply.Whole reply;

  /** Returns the dashboard of a process that serves clients, perhaps as a node of a cluster. */
  static Dashboard ofValues(boolean cluster) {
    return new Dashboard(cluster ? "values cluster" : "values", VALUES);
  }

  /** Returns the dashboard of a process with an embedded engine. */
  static Dashboard ofSequences() {
    return new Dashboard("sequences", SEQUENCES);
  }

  private Dashboard(String holds, List<String> own) {
    List<String> scripts = new ArrayList<>(SCRIPTS);
    scripts.addAll(own);
    scripts.add("dashboard/start.js");
    HtmlPage page = new HtmlPage(Dashboard.class, "dashboard/dashboard.html", STYLES, scripts);
    Map<String, String> parts = Map.of("holds", holds);
    reply =
        new Reply.Whole(
            200,
            "text/html; charset=utf-8",
            page.write(parts).getBytes(StandardCharsets.UTF_8),
            Map.of(
                "Content-Security-Policy",
                page.contentSecurityPolicy()
                    + "; connect-src 'self'; frame-ancestors 'none'"
                    + "; require-trusted-types-for 'script'; trusted-types 'none'",
                "Referrer-Policy",
                "no-referrer"));
  }

  void addTo(Routes routes) {
    routes.add(Operation.page("/", reply.type(), "the dashboard").open(), this::show);
  }

  private Reply show(ServerRequest request) {
    return reply;
  }
}
