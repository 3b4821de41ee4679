package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FailsWhenActive;
import dev.ebb.host.testing.NarrowPage;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.host.testing.Tab;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Opens the page of a serving process in a real browser, with real clients behind it. */
class DashboardTest {

  private static final String HOSTILE = "<img src=x onerror=document.body.dataset.harm=1>";

  /** The last elements of rows that end before their box does. */
  private static final String ROW_ENDS =
      """
      (() => {
        const box = document.querySelector('%s');
        const lasts = new Map();
        for (const each of box.children) {
          const { top, right } = each.getBoundingClientRect();
          if (right > (lasts.get(top)?.getBoundingClientRect().right ?? 0)) {
            lasts.set(top, each);
          }
        }
        return [...lasts.values()]
          .filter(each => each.getBoundingClientRect().right < box.getBoundingClientRect().right - 1)
          .map(each => each.textContent).join();
      })()
      """;

  /** Between requests to a server whose page is awaited, which asks it each second. */
  private static final int PAUSE_MILLIS = 100;

  @RegisterExtension static final Tab tab = new Tab();

  @TempDir private Path home;

  @Test
  void showsTheTrafficOfClients() {
    served(process -> {
      Storm.of(process);
      tab.go(page(process));
      Storm.of(process);

      tab.until("course.length > 3 && document.querySelectorAll('#log-body tbody tr').length");
      tab.until("hitRatioAt(course.length - 1, COURSE_SECONDS) > 0");
      assertThat(tab.value("lineCharts.size").intValue()).isPositive();
      assertThat(
              tab.value("[...lineCharts].every(chart => chart.data[1].length === course.length)")
                  .booleanValue())
          .isTrue();
      assertThat(tab.text("#health")).isEqualTo("healthy");
      // It tells of the last seconds.
      Awaiting.until(() -> {
        Storm.of(process);
        return tab.text("#lead").contains("first evicts");
      });
      assertThat(tab.text("#lead")).doesNotContain("NaN");
      assertThat(tab.text("#tiles")).contains("2 MiB").doesNotContain("NaN", "undefined");
      assertThat(tab.text("#log-body"))
          .contains("model@1@0@", "first")
          .doesNotContain("NaN", "undefined");
      assertThat(tab.text("#plugins-body")).contains("acme 1.2.3", "first, second");
      assertThat(tab.requests()).isNotEmpty().allMatch(url -> url.startsWith(page(process)));
    });
  }

  @Test
  void showsPrefixHitsAndUnreachableKeys() {
    served(process -> {
      PrefixHitsTest.serve(process);
      tab.go(page(process));
      tab.until("course.length > 0");
      PrefixHitsTest.serve(process);
      tab.until("prefixHitRatioAt(course.length - 1, COURSE_SECONDS) > 0");
      process.jedis().del(PrefixHitsTest.key(0) + "kv_bytes");
      tab.until("document.getElementById('tiles').innerText.includes('9 unreachable')");
      assertThat(tab.text("#tiles"))
          .contains("Prefix hits", "unreachable")
          .doesNotContain("NaN", "undefined");
      assertThat(tab.text("#charts")).contains("prefix hits");
    });
  }

  @Test
  void showsTheDiskWhereThereIsOne() {
    String disk =
        """
        ebb.pool.size = 8 MiB
        ebb.tiers.disk { path = "%s", size = 65 MiB, region-size = 1 MiB }
        """
            .formatted(home.resolve("values"));
    served(
        disk,
        process -> {
          for (int width : new int[] {1440, 390}) {
            tab.size(width, 900);
            tab.go(page(process));
            for (int i = 0; i < 300; i++) {
              process.put("key" + i, 40_000);
            }
            tab.until("document.querySelectorAll('#disk-body tbody tr').length === 2");
            for (int i = 0; i < 300; i++) {
              process.jedis().get("key" + i);
            }
            tab.until("diskShareAt(course.length - 1, 'hits', REQUESTED) > 0");
            tab.until("document.getElementById('tiles').innerText.includes('of which disk')");
            assertThat(tab.text("#disk"))
                .contains("values.", "disk", "in use", "of 64 MiB")
                .containsPattern("\\d too late")
                .doesNotContain("NaN", "undefined", "null");
            assertThat(tab.text("#charts")).contains("Hits from the disk", "Disk reads");
            assertThat(tab.value("document.documentElement.scrollWidth").intValue())
                .isLessThanOrEqualTo(width);
          }
          assertThat(tab.complaints()).isEmpty();
        });
    served(process -> {
      tab.size(1440, 900);
      tab.go(page(process));
      tab.until("course.length > 0");
      assertThat(tab.value("document.getElementById('disk') === null").booleanValue()).isTrue();
      assertThat(tab.text("#charts")).doesNotContain("Disk");
    });
  }

  @Test
  void showsTheObjectGroupsOfHybridModelsOnly() {
    served(
        "ebb.server.models { \"qwen\" { groups = \"state,full\" } }",
        process -> {
          process.put("qwen@01000100@0@0a@", 1_000);
          tab.go(page(process));
          tab.until("course.length > 0");
          assertThat(tab.value("document.getElementById('groups').hidden").booleanValue()).isTrue();

          process.put("qwen@01000100@1@0a@", 1_000);
          tab.until("!document.getElementById('groups').hidden");
          // The objects are counted from time to time.
          tab.until(
              "document.getElementById('groups').innerText.includes('No prompt can use 0 B of 2"
                  + " KiB')");
          assertThat(tab.text("#groups"))
              .contains("0: state", "1: full")
              .doesNotContain("NaN", "undefined");
        });
  }

  @Test
  void drawsTheMemoryCellByCell() {
    served(process -> {
      process.put("pinned", 100_000);
      assertThat(process.call("POST", "/api/v1/pins", "{\"key\": \"pinned\"}").status())
          .isEqualTo(201);
      process.put("small", 100);
      for (String tenant : List.of("ann", "bob")) {
        process.put("model@1@0@%04x@%s".formatted(tenant.length(), tenant), 60_000);
      }
      tab.go(page(process));

      tab.until("poolParts.length === 1 && document.querySelectorAll('.pool-map path').length > 5");
      assertThat(cellsFilledWith("--line-1")).isEqualTo(2);
      assertThat(cellsFilledWith("fill--line-2-dots")).isEqualTo(1);
      assertThat(cellsFilledWith("--line-0")).isEqualTo(2);
      assertThat(
              tab.value(
                      "document.querySelector('.pool-map .ground').getAttribute('d')"
                          + ".match(/M/g).length")
                  .intValue())
          .isEqualTo(32);
      assertThat(tab.text("#pool-parts"))
          .contains("320 KiB of 2 MiB in use")
          .contains("27 blocks free, longest run 27");
      assertThat(tab.text("#pool-legend"))
          .contains("pinned by an operator", "128 KiB", "1.69 MiB")
          .doesNotContain("NaN", "undefined");

      // Cells are read with the keyboard, what they hold in words.
      press("Home");
      tab.until("!document.getElementById('tip').hidden");
      assertThat(tab.text("#tip")).contains("Block 0", "pinned by an operator");
      press("End");
      assertThat(tab.text("#tip")).contains("Block 31", "free");

      // With more than one tenant, colours can show the tenant of each block.
      tab.until("!document.querySelector('#pool .by').hidden");
      tab.value(
          "document.getElementById('pool-by').value = 'tenant';"
              + "document.getElementById('pool-by').dispatchEvent(new Event('change'))");
      tab.until("document.getElementById('pool-legend').innerText.includes('bob')");
      assertThat(tab.text("#pool-legend")).contains("ann", "64 KiB").doesNotContain("pinned");

      // The picture follows what happens while it is looked at.
      tab.value("document.getElementById('pool').scrollIntoView()");
      process.put("model@1@0@ffff@bob", 60_000);
      tab.until("document.getElementById('pool-parts').innerText.includes('26 blocks free')");
    });
  }

  private static int cellsFilledWith(String fill) {
    return tab.value(
            """
            [...document.querySelectorAll('.pool-map g path')]
              .filter(path => path.style.fill.includes('%s'))
              .reduce((sum, path) => sum + (path.getAttribute('d').match(/M/g) ?? []).length, 0)
            """
                .formatted(fill))
        .intValue();
  }

  private static void press(String key) {
    tab.value(
        "document.querySelector('.pool-map').dispatchEvent(new KeyboardEvent('keydown', {key: '%s'}))"
            .formatted(key));
  }

  @Test
  void showsATextInPlaceOfEachEmptyTable() {
    served(process -> {
      tab.go(page(process));

      tab.until("document.body.dataset.connected === 'true' && course.length > 0");
      tab.until("document.querySelector('#pins-body .empty')");
      assertThat(tab.text("#lead")).isEqualTo("No client has sent a command yet.");
      assertThat(tab.text("#log-body")).isEqualTo("Nothing has been evicted yet.");
      assertThat(tab.text("#pins-body")).isEqualTo("Nothing is pinned.");
      tab.until("document.querySelector('#candidates-body .empty')");
      assertThat(tab.text("main")).doesNotContain("NaN", "undefined", "null");
    });
  }

  @Test
  void addsLaterEvictionsToTheLog() {
    served(process -> {
      evict(process, "one");
      tab.go(page(process));
      tab.until("document.querySelectorAll('#log-body tbody tr').length === 1");
      tab.value("document.querySelector('#log-body tbody tr').dataset.first = 'true'");

      evict(process, "two");

      tab.until("document.querySelectorAll('#log-body tbody tr').length === 2");
      // After a lost connection, all rows would be new.
      assertThat(tab.value("document.querySelectorAll('#log-body [data-first]').length").intValue())
          .isOne();
    });
  }

  private static void evict(AdminProcess process, String key) {
    process.put(key, 100);
    process.call("POST", "/api/v1/evict", "{\"key\": \"" + key + "\"}");
  }

  @Test
  void switchesThePolicyAndMarksItInTheCharts() {
    served(process -> {
      tab.go(page(process));
      tab.until("document.getElementById('policy-choice').value === 'second'");
      tab.until("document.getElementById('policy-name').textContent === 'first'");
      tab.until("course.length > 1");

      tab.value("document.querySelector('#policy-form button').click()");
      tab.until("document.getElementById('dialog').open");
      assertThat(tab.text("#dialog h2")).isEqualTo("Switch from first to second?");
      tab.value("document.querySelector('#dialog .main').click()");

      tab.until("document.getElementById('policy-name').textContent === 'second'");
      assertThat(process.serving().policy()).isEqualTo("second");
      assertThat(tab.text("#policy-answer")).startsWith("second is active since");
      tab.until("policyChanges().length === 1 && policyChanges()[0].name === 'second'");

      process.call("POST", "/api/v1/policy/rollback", "{}");
      tab.until("policyChanges().length === 2 && policyChanges()[1].name === 'first (rollback)'");
      assertThat(tab.text("#policy-origin")).isEqualTo("acme 1.2.3");
    });
  }

  @Test
  void aPolicyInQuarantineIsShownWithItsCauseAndCleared() {
    PluginJarBuilder.plugin("bad")
        .provider("bad.Bad", FailsWhenActive.SOURCE)
        .writeTo(Configs.plugins(home), "bad.jar");
    served(process -> {
      process.put("key", 100);
      process.call("PUT", "/api/v1/policy", "{\"policy\": \"bad\"}");
      tab.go(page(process));
      process.jedis().get("key");

      tab.until("document.querySelector('#quarantine .notice')");
      assertThat(tab.text("#quarantine"))
          .contains("bad of bad 1.0.0 has been in quarantine", "not here");
      tab.until("document.getElementById('policy-name').textContent === 'builtin-lru'");
      tab.until("!document.getElementById('policy-notice').hidden");
      assertThat(tab.text("#policy-notice"))
          .isEqualTo("The configured policy bad has failed; builtin-lru is active instead.");
      assertThat(tab.text("#policy-choice")).contains("bad (in quarantine)");

      tab.value("document.querySelector('#quarantine button').click()");
      tab.until("!document.querySelector('#quarantine .notice')");
      assertThat(tab.text("#policy-answer"))
          .isEqualTo("bad is no longer in quarantine; builtin-lru is active until you switch.");
      assertThat(process.get("/api/v1/policy").json().at("/quarantine").isEmpty()).isTrue();
    });
  }

  @Test
  void keysThatDifferAtTheirEndAreDistinguishedAndUnpinIsInSight() {
    String name = "meta-llama/Llama-3.1-8B-Instruct@1@0@%016x@acme";
    served(process -> {
      for (int i = 1; i <= 2; i++) {
        process.put(name.formatted(i), 100);
        process.call("POST", "/api/v1/pins", "{\"key\": \"" + name.formatted(i) + "\"}");
      }
      for (int width : List.of(360, 1280)) {
        tab.size(width, 900);
        tab.go(page(process));
        tab.until("document.querySelectorAll('#pins-body td button').length === 2");
        assertThat(tab.text("#pins-body")).contains("0000001@acme", "0000002@acme");
        assertThat(
                tab.value(
                        """
                        [...document.querySelectorAll('#pins-body tr')].slice(1).every(row => {
                          const edge = document.getElementById('pins').getBoundingClientRect().right;
                          const key = row.querySelector('.key').getBoundingClientRect();
                          const button = row.querySelector('button').getBoundingClientRect();
                          return key.right <= button.left && button.right <= edge;
                        })
                        """)
                    .booleanValue())
            .as("at %d pixels", width)
            .isTrue();
      }
    });
  }

  @Test
  void theHashOfALongKeyIsInSight() {
    String name =
        "meta-llama/Llama-3.1-8B-Instruct@1@0@%s" + "c0ffee".repeat(8) + "@bfloat16kv_bytes";
    List<String> hashes = List.of("a1b2c3d4e5f60718", "0718a1b2c3d4e5f6");
    served(process -> {
      for (String hash : hashes) {
        process.put(name.formatted(hash), 100);
        process.call("POST", "/api/v1/pins", "{\"key\": \"" + name.formatted(hash) + "\"}");
        process.put(name.formatted("e" + hash), 100);
        process.call("POST", "/api/v1/evict", "{\"key\": \"" + name.formatted("e" + hash) + "\"}");
      }
      for (int width : List.of(390, 1280)) {
        tab.size(width, 900);
        tab.go(page(process));
        for (String box : List.of("#pins-body", "#log-body")) {
          tab.until("document.querySelectorAll('" + box + " .key').length === 2");
          String start = box.equals("#pins-body") ? "" : "e";
          assertThat(textInSight(box))
              .as("%s at %d pixels", box, width)
              .contains((start + hashes.get(0)).substring(0, 12))
              .contains((start + hashes.get(1)).substring(0, 12))
              .doesNotContain("c0ffee");
          assertThat(tab.text(box)).contains(name.formatted(start + hashes.get(0)));
        }
      }
    });
  }

  /** Returns the parts of keys that are wholly visible. */
  private static String textInSight(String box) {
    return tab.value(
            """
            [...document.querySelectorAll('%1$s .key')].flatMap(key => [...key.childNodes]).filter(part => {
              const range = document.createRange();
              range.selectNodeContents(part);
              return (part.scrollWidth ?? 0) <= (part.clientWidth ?? 0)
                && range.getBoundingClientRect().right <= document.querySelector('%1$s').getBoundingClientRect().right;
            }).map(part => part.textContent).join(' ')
            """
                .formatted(box))
        .asString();
  }

  @Test
  void showsTheCandidatesWithTheActivePolicy() {
    served(
        "ebb.shadow { rate = 1, policies = [third] }",
        process -> {
          tab.go(page(process));
          tab.until("document.querySelectorAll('#candidates-body tbody tr').length === 2");
          assertThat(tab.text("#candidates-body")).contains("first (active)", "warming up");
          Instant end = Instant.now().plusSeconds(90);
          while (!tab.text("#candidates-body").contains("running")) {
            assertThat(Instant.now()).as(tab.text("#candidates")).isBefore(end);
            for (int i = 0; i < 200; i++) {
              process.put("key-" + i, 100);
              process.jedis().get("key-" + i);
              process.jedis().get("missing-" + i);
            }
            Awaiting.pause(PAUSE_MILLIS);
          }
          assertThat(tab.text("#candidates-caption"))
              .startsWith("Estimated on a sample of 100")
              .contains("Hit ratio of first, counted since")
              .doesNotContain("refix hits");
          assertThat(candidateColumns()).contains("Hit ratio").doesNotContain("Prefix hits");
          while (!tab.text("#candidates-caption").contains("; prefix hits: ")) {
            assertThat(Instant.now()).as(tab.text("#candidates")).isBefore(end);
            PrefixHitsTest.serve(process);
            Awaiting.pause(PAUSE_MILLIS);
          }
          assertThat(candidateColumns()).contains("Hit ratio", "Prefix hits");
        });
  }

  @Test
  void chunksOfPromptsHaveOneHitRatio() {
    served(
        "ebb.shadow { rate = 1, policies = [third] }",
        process -> {
          tab.go(page(process));
          Instant end = Instant.now().plusSeconds(90);
          while (!tab.text("#candidates-caption").contains("Prefix hits of first, counted since")) {
            assertThat(Instant.now()).as(tab.text("#candidates")).isBefore(end);
            for (int i = 0; i < 20; i++) {
              PrefixHitsTest.serve(process);
            }
            Awaiting.pause(PAUSE_MILLIS);
          }
          assertThat(tab.text("#candidates-caption"))
              .contains("after its first missing one are misses");
          assertThat(candidateColumns()).contains("Prefix hits").doesNotContain("Hit ratio");
        });
  }

  private static String candidateColumns() {
    return tab.text("#candidates-body thead");
  }

  @Test
  void evictionsThatAreRequestedAgainHaveTheTimeBaseOfTheirChart() {
    served(process -> {
      tab.go(page(process));
      tab.until("course.length > 1");
      Storm.of(process);

      tab.until("/again: [1-9][0-9.]*\\/s/.test(document.getElementById('tiles').innerText)");
      tab.until(
          """
          [...document.querySelectorAll('#charts .legend li')].some(each =>
            each.innerText.includes('requested again')
              && document.getElementById('tiles').innerText
                  .includes('again: ' + each.querySelector('b').textContent))
          """);
    });
  }

  @Test
  void aSwitchNeedsAConfirmation() {
    served(process -> {
      tab.go(page(process));
      tab.until("document.getElementById('policy-choice').value === 'second'");

      tab.value("document.querySelector('#policy-form button').click()");
      tab.until("document.getElementById('dialog').open");
      tab.value("document.querySelector('#dialog .buttons .button').click()");

      tab.until("!document.getElementById('dialog').open");
      assertThat(process.serving().policy()).isEqualTo("first");
    });
  }

  @Test
  void pinsAndUnpins() {
    served(
        process -> {
          process.put("a b/ü%", 100);
          tab.go(page(process));
          tab.until("document.querySelector('#pins-body .empty')");

          tab.value(
              "document.querySelector('#pin-form [name=key]').value = 'a b/ü%';"
                  + "document.querySelector('#pin-form button').click()");
          tab.until("document.querySelector('#pins-body td button')");
          assertThat(tab.text("#pins-body")).contains("a b/ü%", "operator");
          assertThat(process.get("/api/v1/pins").json().get("pins").size()).isEqualTo(1);

          tab.value("document.querySelector('#pins-body td button').click()");
          tab.until("document.querySelector('#pins-body .empty')");
          assertThat(process.get("/api/v1/pins").json().get("pins").size()).isZero();

          tab.value(
              "document.querySelector('#pin-form [name=key]').value = 'absent';"
                  + "document.querySelector('#pin-form button').click()");
          tab.until("document.getElementById('pin-answer').textContent.includes('absent')");
          assertThat(tab.text("#pin-answer")).isEqualTo("no entry 'absent'");
        },
        "status of 404");
  }

  @Test
  void explainsAnEviction() {
    served(
        process -> {
          process.put("gone", 100);
          assertThat(process.call("POST", "/api/v1/evict", "{\"to\": 0}").status()).isEqualTo(200);
          tab.go(page(process));

          tab.until("document.querySelector('#log-body .link')");
          tab.value("document.querySelector('#log-body .link').click()");

          tab.until("document.getElementById('dialog').open");
          assertThat(tab.text("#dialog"))
              .contains("Eviction", "gone", "chosen by first", "The key is not resident");
        },
        "status of 404");
  }

  @Test
  void keysAreNeverParsedAsMarkup() {
    served(
        process -> {
          process.put(HOSTILE, 100);
          process.put(HOSTILE + "2", 100);
          assertThat(
                  process.call("POST", "/api/v1/evict", "{\"key\": \"" + HOSTILE + "2\"}").status())
              .isEqualTo(200);
          assertThat(
                  process.call("POST", "/api/v1/pins", "{\"key\": \"" + HOSTILE + "\"}").status())
              .isEqualTo(201);
          tab.go(page(process));

          tab.until("document.querySelector('#log-body .link')");
          tab.until("document.querySelector('#pins-body td button')");
          tab.value("document.querySelector('#log-body .link').click()");
          tab.until("document.getElementById('dialog').open");

          assertThat(tab.text("#pins-body")).contains(HOSTILE);
          assertThat(tab.text("#log-body")).contains(HOSTILE);
          assertThat(tab.text("#dialog")).contains(HOSTILE);
          assertThat(tab.value("document.images.length").intValue()).isZero();
          assertThat(tab.value("'harm' in document.body.dataset").booleanValue()).isFalse();
        },
        "status of 404");
  }

  @Test
  void aLostConnectionIsShownAndRestored() {
    AdminProcess first = AdminProcess.start(home.resolve("first"), "");
    int port = first.address().getPort();
    try {
      tab.go(page(first));
      tab.until("document.body.dataset.connected === 'true'");
    } finally {
      first.close();
    }
    tab.until("document.body.dataset.connected === 'false'");
    assertThat(tab.text("#health")).startsWith("connection lost since ").endsWith("process gone");
    tab.until("/figures are [1-9].* old/.test(document.getElementById('process').textContent)");

    try (AdminProcess second =
        AdminProcess.start(home.resolve("second"), "ebb.admin.port = " + port + "\n")) {
      tab.until("document.body.dataset.connected === 'true'");
      tab.until("document.getElementById('health').textContent === 'healthy'");
      assertThat(second.address().getPort()).isEqualTo(port);
    }
  }

  @Test
  void asksForTheTokenUntilItIsRight() {
    served(
        "ebb.admin.token = sesame\n",
        process -> {
          tab.go(page(process));
          tab.until("document.getElementById('dialog').open");
          giveToken("wrong");
          tab.until("document.getElementById('dialog').innerText.includes('The token is wrong')");
          giveToken("sesame");

          tab.until("document.body.dataset.connected === 'true' && course.length > 0");
          assertThat(tab.value("document.getElementById('dialog').open").booleanValue()).isFalse();
          assertThat(tab.value("sessionStorage.getItem(TOKEN)").asString()).isEqualTo("sesame");
          tab.value("sessionStorage.clear()");
        },
        "status of 401");
  }

  @Test
  void theSilenceWhileTheTokenIsTypedIsNotALostConnection() {
    served(
        "ebb.admin.token = sesame\n",
        process -> {
          tab.go(page(process));
          tab.until("document.getElementById('dialog').open");
          tab.value(
              """
              const sleep = setTimeout;
              const quiet = [];
              window.setTimeout = (action, time) =>
                time === QUIET ? void quiet.push(action) : sleep(action, time);
              let end = "";
              listen({}, () => (end = "opened")).catch((error) => (end ||= error.name));
              void quiet[0]();
              """);
          giveToken("sesame");

          tab.until("end");
          assertThat(tab.value("end").asString()).isEqualTo("opened");
          tab.value("sessionStorage.clear()");
        },
        "status of 401");
  }

  private static void giveToken(String token) {
    tab.value(
        "document.querySelector('#dialog input').value = '%s';".formatted(token)
            + "document.querySelector('#dialog .main').click()");
  }

  @Test
  void followsTheScreensColoursUnlessConfiguredOtherwise() {
    served(process -> {
      tab.screen("prefers-color-scheme", "dark");
      tab.go(page(process));
      assertThat(background()).isEqualTo("rgb(14, 17, 22)");

      tab.screen("prefers-color-scheme", "light");
      tab.until("getComputedStyle(document.body).backgroundColor === 'rgb(244, 246, 248)'");

      tab.value(
          "const choice = document.getElementById('theme'); choice.value = 'dark';"
              + "choice.dispatchEvent(new Event('change'))");
      assertThat(background()).isEqualTo("rgb(14, 17, 22)");
      tab.go(page(process));
      assertThat(background()).isEqualTo("rgb(14, 17, 22)");
      tab.value("localStorage.clear()");
    });
  }

  private static String background() {
    return tab.value("getComputedStyle(document.body).backgroundColor").asString();
  }

  @Test
  void narrowScreensShowWhichTablesScroll() {
    served(
        "ebb.shadow { rate = 1, policies = [third] }",
        process -> {
          process.put("k".repeat(300), 100);
          process.call("POST", "/api/v1/pins", "{\"key\": \"" + "k".repeat(300) + "\"}");
          Storm.of(process);
          for (int width : List.of(360, 390, 768)) {
            tab.size(width, 844);
            tab.go(page(process));
            tab.until("document.querySelector('#pins-body td button')");
            tab.until("document.querySelector('#candidates-body td')");
            tab.until("document.querySelector('#plugins-body td')");
            tab.until("document.querySelector('#log-body .link') && course.length > 1");

            assertThat(NarrowPage.cutOff(tab, width)).as("at %d pixels", width).isEmpty();
            assertThat(tab.value("document.documentElement.scrollWidth").intValue())
                .isLessThanOrEqualTo(width);
            assertThat(tab.value("boxes.length").intValue())
                .as("tables to scroll at %d pixels", width)
                .isPositive();
          }
        });
  }

  @Test
  void tilesAndPanelsFillTheirRows() {
    served(process -> {
      for (int width : List.of(390, 768, 1024, 1280, 1600)) {
        tab.size(width, 900);
        tab.go(page(process));
        tab.until("document.querySelectorAll('#states-body tbody tr').length === 9");
        for (String box : List.of("#tiles", "#charts", ".panels")) {
          assertThat(tab.value(ROW_ENDS.formatted(box)).asString())
              .as("what ends the rows of %s at %d pixels", box, width)
              .isEmpty();
        }
        assertThat(
                tab.value(
                        "document.getElementById('states-body').scrollHeight"
                            + " - document.getElementById('states-body').clientHeight")
                    .intValue())
            .as("the hidden part of the states at %d pixels", width)
            .isZero();
      }
    });
  }

  @Test
  void aPhoneShowsLongNamesAndTheLatestSwitches() {
    String name = "a" + "-very-long-name".repeat(4);
    PluginJarBuilder.plugin("long").policy(name).writeTo(Configs.plugins(home), "long.jar");
    served(
        "ebb.plugins.rescan = 1 s\n",
        process -> {
          for (String policy : List.of("second", name, "third", name)) {
            process.call("PUT", "/api/v1/policy", "{\"policy\": \"" + policy + "\"}");
          }
          tab.size(390, 844);
          tab.go(page(process));
          tab.until("document.querySelectorAll('#switches tbody tr').length === 4");

          assertThat(tab.text("#switches tbody tr")).contains(name, "operator");
          tab.until("document.getElementById('policy-name').textContent === '" + name + "'");
          assertThat(
                  tab.value(
                          """
                          [...document.querySelectorAll('#policy *, #bar *, .tile *')]
                            .filter(each => each.getBoundingClientRect().right > innerWidth)
                            .map(each => each.outerHTML).join()
                          """)
                      .asString())
              .isEmpty();
        });
  }

  @Test
  void everyControlHasAName() {
    served(process -> {
      process.put("a", 100);
      process.call("POST", "/api/v1/pins", "{\"key\": \"a\"}");
      tab.go(page(process));
      tab.until("document.querySelector('#pins-body td button')");

      assertThat(
              tab.value(
                      """
                      [...document.querySelectorAll('input, select, button, [tabindex], [role=img]')]
                        .filter(each => !(each.labels?.length || each.textContent.trim() || each.ariaLabel))
                        .map(each => each.outerHTML).join()
                      """)
                  .asString())
          .isEmpty();
    });
  }

  @Test
  void theContentSecurityPolicyAllowsOnlyThePageItself() {
    try (AdminProcess process = AdminProcess.start(home, "ebb.admin.token = sesame\n")) {
      AdminProcess.Answer answer = process.get("/");

      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.response().headers().firstValue("Content-Security-Policy").orElseThrow())
          .contains("default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'")
          .doesNotContain("unsafe", "http:", "https:", "*");
    }
  }

  private void served(Consumer<AdminProcess> test, String... expectedComplaints) {
    served("", test, expectedComplaints);
  }

  /** Runs a test, and checks that the browser's console has only the expected complaints. */
  private void served(String settings, Consumer<AdminProcess> test, String... expectedComplaints) {
    try (AdminProcess process = AdminProcess.start(home, settings)) {
      test.accept(process);
      assertThat(tab.complaints())
          .allMatch(complaint -> {
            for (String expected : expectedComplaints) {
              if (complaint.contains(expected)) {
                return true;
              }
            }
            return false;
          });
      assertThat(tab.text("#problem")).isEmpty();
      tab.go("about:blank?");
    }
  }

  private static String page(AdminProcess process) {
    return "http://127.0.0.1:" + process.address().getPort() + "/";
  }
}
