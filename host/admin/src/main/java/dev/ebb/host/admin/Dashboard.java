package dev.ebb.host.admin;

import dev.ebb.host.htmlreport.HtmlPage;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The operators' dashboard page. The page contains no data and therefore needs no token. Its script
 * calls the API like any other client, with the token if there is one.
 */
final class Dashboard {

  private static final String STYLES = "layout glance advice panels pool cluster dialog log phone";

  private static final String SCRIPTS =
      "units dialog api answers keys course timeline charts advice glance policy uses curve map"
          + " pool switches plugins entry evictions pins candidates engines feed";

  /** Scripts for the pages of clients' values. */
  private static final String VALUES = "tenants groups states disk cluster values";

  /** Scripts for the pages of an engine's sequences. */
  private static final String SEQUENCES = "disk requests sequences";

  private final Reply.Whole reply;

  static Dashboard ofValues(boolean disk, boolean cluster, boolean engines) {
    return new Dashboard(
        "values"
            + (disk ? " disk" : "")
            + (cluster ? " cluster" : "")
            + (engines ? " engines" : ""),
        VALUES);
  }

  static Dashboard ofSequences(boolean disk) {
    return new Dashboard("sequences engines" + (disk ? " disk" : ""), SEQUENCES);
  }

  private Dashboard(String holds, String own) {
    HtmlPage page =
        new HtmlPage(
            Dashboard.class,
            "dashboard/dashboard.html",
            files(STYLES, "css"),
            files(SCRIPTS + " " + own + " start", "js"));
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

  private static List<String> files(String names, String ending) {
    return Arrays.stream(names.split(" ", -1))
        .map(name -> "dashboard/" + name + "." + ending)
        .toList();
  }

  void addTo(Routes routes) {
    routes.add(Operation.page("/", reply.type(), "the dashboard").open(), request -> reply);
  }
}
