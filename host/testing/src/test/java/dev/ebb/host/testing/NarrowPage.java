package dev.ebb.host.testing;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Finds content of a page that users of a narrow screen would miss. */
public final class NarrowPage {

  /** The smallest difference of a colour channel, of 255, that counts as visible. */
  private static final int VISIBLE = 24;

  private NarrowPage() {}

  /**
   * Returns the elements that are cut off: beyond the window's right edge, or in a box that scrolls
   * sideways and does not look like it.
   *
   * @param tab with the page, {@code width} pixels wide
   */
  public static List<String> cutOff(Tab tab, int width) {
    List<String> found = new ArrayList<>();
    tab.value(
            """
            [...document.querySelectorAll('body *')]
              .filter(each => each.checkVisibility() && each.getBoundingClientRect().right > %d + 0.5)
              .filter(each => {
                for (let box = each.parentElement; box !== document.body; box = box.parentElement) {
                  if (getComputedStyle(box).overflowX !== 'visible') {
                    return false;
                  }
                }
                return true;
              })
              .map(each => `beyond the window: ${each.outerHTML.slice(0, 200)}`)
            """
                .formatted(width))
        .forEach(each -> found.add(each.asString()));
    for (JsonNode box : boxes(tab)) {
      if (!looksScrollable(tab, box.get("index").intValue())) {
        found.add("no sign that it scrolls: " + box.get("html").asString());
      }
    }
    return found;
  }

  /** Ignores boxes of which only the padding is out of sight. */
  private static JsonNode boxes(Tab tab) {
    return tab.value(
        """
        window.boxes = [...document.querySelectorAll('body *')].filter(each =>
          each.checkVisibility() && each.scrollWidth > each.clientWidth + 16
            && ['auto', 'scroll'].includes(getComputedStyle(each).overflowX));
        boxes.map((each, index) => ({ index, html: each.outerHTML.slice(0, 200) }))
        """);
  }

  /** Compares the right edge, below the content, before and after scrolling to the end. */
  private static boolean looksScrollable(Tab tab, int box) {
    int more = colourAtRightEdge(tab, box, 0);
    int end = colourAtRightEdge(tab, box, 1_000_000);
    for (int shift = 0; shift <= 16; shift += 8) {
      if (Math.abs((more >> shift & 0xff) - (end >> shift & 0xff)) >= VISIBLE) {
        return true;
      }
    }
    return false;
  }

  private static int colourAtRightEdge(Tab tab, int box, int scrolled) {
    while (true) {
      JsonNode place = scroll(tab, box, scrolled);
      int colour = tab.colourAt(place.get(0).intValue(), place.get(1).intValue());
      // A page that shows live data can move in between.
      if (scroll(tab, box, scrolled).equals(place)) {
        return colour;
      }
    }
  }

  private static JsonNode scroll(Tab tab, int box, int scrolled) {
    return tab.value(
        """
        (() => {
          const box = boxes[%d];
          box.scrollIntoView({ block: 'end' });
          box.scrollTo(%d, box.scrollHeight);
          const { left, top } = box.getBoundingClientRect();
          const right = left + box.clientWidth;
          const bottom = top + box.clientHeight;
          return [scrollX + right - 2, scrollY + bottom - 10, box.scrollHeight].map(Math.floor);
        })()
        """
            .formatted(box, scrolled));
  }
}
