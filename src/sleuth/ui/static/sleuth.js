// What a page can do beyond being read: filter as one types, fetch parts, follow live runs, look closer, keys.
"use strict";
(() => {
  const find = (wanted, within = document) => within.querySelector(wanted);
  const all = (wanted, within = document) => [...within.querySelectorAll(wanted)];
  const served = location.protocol.startsWith("http") && !document.body.dataset.exported;

  // Parts of a page: HTML of this server, put in place of what stands there.
  const part = async (address, signal) => {
    const answer = await fetch(address, { headers: { "x-part": "1" }, signal, credentials: "same-origin" });
    if (!answer.ok) throw new Error(`${answer.status}`);
    return answer.text();
  };
  const swap = (element, html) => {
    const opened = all("details[open]", element).map(one => one.id).filter(Boolean);
    element.innerHTML = html;
    opened.forEach(id => { const one = document.getElementById(id); if (one) one.open = true; });
    awaken(element);
  };
  const waiting = new WeakMap();
  const refresh = async (element, address, quietly) => {
    waiting.get(element)?.abort();
    const stop = new AbortController();
    waiting.set(element, stop);
    try {
      swap(element, await part(address, stop.signal));
    } catch (error) {
      if (error.name !== "AbortError" && !quietly) element.textContent = "The server does not answer.";
    }
  };

  // Load what is further down when it comes near.
  const near = "IntersectionObserver" in window && served ? new IntersectionObserver(entries => {
    for (const entry of entries) if (entry.isIntersecting) {
      near.unobserve(entry.target);
      refresh(entry.target, entry.target.dataset.load);
    }
  }, { rootMargin: "400px" }) : null;

  // Curves: read values under the pointer on all charts at one step; drag to look closer.
  const values = line => (line.parsed ??= {
    steps: line.dataset.steps.split(" ").map(Number), mean: line.dataset.values.split(" ").map(Number),
    low: line.dataset.lows?.split(" ").map(Number), high: line.dataset.highs?.split(" ").map(Number) });
  const nearest = (steps, step) => {
    let low = 0, high = steps.length - 1;
    while (low < high) { const middle = (low + high) >> 1; if (steps[middle] < step) low = middle + 1; else high = middle; }
    return low && Math.abs(steps[low - 1] - step) < Math.abs(steps[low] - step) ? low - 1 : low;
  };
  const short = value => Number(value.toPrecision(4)).toString();
  const frame = svg => { const [low, high, start, stop] = svg.dataset.x.split(" ").map(Number); return { low, high, start, stop }; };
  const stepAt = (svg, event) => {
    const box = svg.getBoundingClientRect(), { low, high, start, stop } = frame(svg);
    const x = (event.clientX - box.left) / box.width * svg.viewBox.baseVal.width;
    return low + Math.min(1, Math.max(0, (x - start) / (stop - start))) * (high - low);
  };
  const place = (svg, step) => { const { low, high, start, stop } = frame(svg); return high > low ? start + (step - low) / (high - low) * (stop - start) : start; };
  const drawn = (svg, name, kind) => {
    const known = find(`.${name}`, svg);
    if (known) return known;
    const made = svg.appendChild(document.createElementNS("http://www.w3.org/2000/svg", kind));
    made.setAttribute("class", name);
    return made;
  };
  const cross = (svg, step) => {
    const figure = svg.closest("figure"), x = place(svg, step), high = svg.viewBox.baseVal.height;
    const line = drawn(svg, "cross", "line");
    for (const [key, value] of Object.entries({ x1: x, x2: x, y1: 8, y2: high - 18 })) line.setAttribute(key, value);
    let box = find(".readout", figure);
    if (!box) { box = document.createElement("div"); box.className = "readout"; figure.append(box); }
    const told = all("g[data-steps]", svg).filter(one => !one.classList.contains("faint")).slice(0, 6).map(one => {
      const known = values(one), at = nearest(known.steps, step);
      const range = known.low && known.low[at] !== known.high[at] ? ` (${short(known.low[at])} to ${short(known.high[at])})` : "";
      return known.steps.length ? `${short(known.mean[at])}${range}` : "";
    });
    const first = find("g[data-steps]", svg), at = first ? values(first).steps[nearest(values(first).steps, step)] : step;
    box.textContent = `step ${at}: ${told.join("  ·  ")}`;
  };
  const uncross = () => { all(".cross, .readout").forEach(one => one.remove()); };
  const onMove = event => {
    const svg = event.target.closest?.("figure.chart svg");
    if (!svg) return uncross();
    const step = stepAt(svg, event);
    const group = svg.closest("#curves") ? all("#curves figure.chart svg") : [svg];
    group.forEach(one => { if (one.dataset.x) cross(one, step); });
    if (dragging && dragging.svg === svg) {
      const [from, to] = [dragging.step, step].sort((a, b) => a - b), x = place(svg, from);
      const box = drawn(svg, "chosen-span", "rect");
      for (const [key, value] of Object.entries({ x, width: Math.max(0, place(svg, to) - x), y: 8, height: svg.viewBox.baseVal.height - 26 })) box.setAttribute(key, value);
    }
  };
  let dragging = null;
  const zoom = (from, to) => {
    const room = find("#curves"), form = find("[data-zoom]");
    if (!room || !served) return;
    const query = new URLSearchParams(new FormData(form));
    if (from === null) { query.delete("from"); query.delete("to"); } else { query.set("from", from); query.set("to", to); }
    room.dataset.query = query;
    refresh(room, `${room.dataset.part}${room.dataset.part.includes("?") ? "&" : "?"}${query}`);
  };
  document.addEventListener("pointermove", onMove, { passive: true });
  document.addEventListener("pointerdown", event => {
    const svg = event.target.closest?.("#curves figure.chart svg");
    if (svg && event.button === 0 && event.pointerType === "mouse") { dragging = { svg, step: stepAt(svg, event) }; event.preventDefault(); }
  });
  document.addEventListener("pointerup", event => {
    if (!dragging) return;
    const { svg, step } = dragging, { low, high } = frame(svg), to = stepAt(svg, event);
    dragging = null;
    all(".chosen-span").forEach(one => one.remove());
    if (Math.abs(to - step) > (high - low) / 100) zoom(Math.floor(Math.min(step, to)), Math.ceil(Math.max(step, to)));
  });
  document.addEventListener("dblclick", event => { if (event.target.closest?.("#curves figure.chart svg")) zoom(null); });

  // The list of runs.
  const list = find("#list");
  const rows = () => all("tr[data-run]");
  const current = () => find("tr.at");
  const count = () => {
    const chosen = all("input[name=run]:checked").length, told = find("[data-count]");
    if (told) told.textContent = chosen ? `${chosen} chosen` : "choose two or more runs";
  };
  const goTo = row => {
    if (!row) return;
    current()?.classList.remove("at");
    row.classList.add("at");
    row.scrollIntoView({ block: "nearest" });
  };
  const filterAddress = () => {
    const form = find("[data-filter]"), query = new URLSearchParams(new FormData(form));
    for (const [key, value] of [...query]) if (!value) query.delete(key);
    return `/?${query}`;
  };
  const relist = (quietly) => {
    if (!list) return;
    const chosen = new Set(all("input[name=run]:checked").map(one => one.value)), at = current()?.dataset.run;
    const address = filterAddress();
    const page = new URLSearchParams(location.search).get("page");
    refresh(list, `${address}&part=1${quietly && page ? `&page=${page}` : ""}`, quietly).then(() => {
      all("input[name=run]").forEach(one => { one.checked = chosen.has(one.value); });
      goTo(rows().find(row => row.dataset.run === at));
      count();
    });
    if (!quietly) history.replaceState(null, "", address);
  };
  const filter = find("[data-filter]");
  if (filter && list && served) {
    filter.addEventListener("input", () => relist(false));
    filter.addEventListener("submit", event => { event.preventDefault(); relist(false); });
  }
  const search = find("[data-search]");
  if (search && served) {
    const room = find(search.dataset.swap);
    search.addEventListener("input", () => refresh(room, `${search.action}?${new URLSearchParams(new FormData(search))}`));
  }
  // Without a server the words are looked for in the lines themselves.
  for (const form of served ? [] : all("[data-filter], [data-search]")) {
    form.addEventListener("submit", event => event.preventDefault());
    form.addEventListener("input", () => {
      const words = find("input[type=search]", form).value.toLowerCase().split(/\s+/);
      rows().forEach(row => row.classList.toggle("hidden", !words.every(word => row.textContent.toLowerCase().includes(word))));
    });
  }

  // Forms that change one thing need not load the page anew.
  document.addEventListener("submit", async event => {
    const form = event.target, button = event.submitter;
    if (!served) return;
    if (form.matches("[data-zoom]") && find("#curves")) {
      event.preventDefault();
      const query = new FormData(form);
      zoom(query.get("from") || null, query.get("to") || null);
    } else if (form.matches("[data-swap]") && find(form.dataset.swap)) {
      event.preventDefault();
      refresh(find(form.dataset.swap), `${form.action}?${new URLSearchParams(new FormData(form))}`);
    } else if (form.matches("[data-compare]") && button?.name === "star") {
      event.preventDefault();
      await fetch(button.formAction, { method: "POST", body: new URLSearchParams({ star: button.value }), credentials: "same-origin" });
      relist(true);
    }
  });
  document.addEventListener("click", event => {
    const link = event.target.closest?.("a[data-swap], a[data-all]");
    if (link && served) {
      if (link.matches("[data-all]")) { if (!find("#curves")) return; event.preventDefault(); zoom(null); return; }
      event.preventDefault();
      refresh(find(link.dataset.swap), link.href);
      return;
    }
    const caption = event.target.closest?.("#curves figure[data-chart] figcaption");
    if (caption && served) {
      const figure = caption.parentElement, room = find("#curves");
      const only = new URLSearchParams(room.dataset.query ?? "").get("only");
      const query = new URLSearchParams(new FormData(find("[data-zoom]")));
      if (only) query.delete("only"); else query.set("only", figure.dataset.chart);
      room.dataset.query = query;
      refresh(room, `${room.dataset.part}?${query}`);
    }
  });
  document.addEventListener("change", event => { if (event.target.name === "run") count(); });

  // Keys: j and k, enter, x, s, c, /.
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches?.("input:not([type=checkbox]), textarea, select");
    if (event.key === "Escape" && typing) return event.target.blur();
    if (typing) return;
    const place = rows().indexOf(current());
    const visible = rows().filter(row => !row.classList.contains("hidden"));
    const acts = {
      "/": () => { const box = find("input[type=search]"); box?.focus(); box?.select(); },
      j: () => goTo(visible[Math.min(visible.length - 1, visible.indexOf(current()) + 1)]),
      k: () => goTo(visible[Math.max(0, visible.indexOf(current()) - 1)]),
      x: () => { const box = find("input[name=run]", current() ?? document.createElement("i")); if (box) { box.checked = !box.checked; count(); } },
      s: () => find("button[name=star]", current() ?? document)?.click(),
      c: () => { if (all("input[name=run]:checked").length > 1) find("[data-compare]")?.requestSubmit(); },
      Enter: () => { if (place >= 0 && !event.target.matches?.("a, button, summary")) location.href = find("a.id", current()).href; else return true; },
    };
    if (acts[event.key] && acts[event.key]() !== true) event.preventDefault();
  });

  // Live: the server says that something changed, the page fetches it; a hidden page rests.
  const live = document.body.dataset.live;
  let source = null, late = false, busy = false;
  const update = async () => {
    if (busy) { late = true; return; }
    busy = true;
    if (list) relist(true);
    const head = find("#head"), room = find("#curves");
    if (head) await refresh(head, `${room.dataset.part.replace(/curves$/, "head")}`, true);
    if (room && !dragging && !room.contains(document.activeElement)) {
      const query = room.dataset.query ? `?${room.dataset.query}` : "";
      await refresh(room, `${room.dataset.part}${query}`, true);
    }
    if (head && !find(".status.running", head)) { source?.close(); location.reload(); return; }
    await new Promise(done => setTimeout(done, 700));
    busy = false;
    if (late) { late = false; update(); }
  };
  const listen = () => {
    source?.close();
    source = null;
    if (document.hidden || !live || !served) return;
    source = new EventSource(live);
    let known = document.body.dataset.state;
    const hear = event => { if (known !== undefined && known !== event.data) update(); known = document.body.dataset.state = event.data; };
    source.addEventListener("hello", hear);
    source.addEventListener("changed", hear);
  };
  document.addEventListener("visibilitychange", listen);
  addEventListener("pagehide", () => source?.close());

  const awaken = within => {
    if (!served) return;
    all("[data-load]", within).forEach(one => near ? near.observe(one) : refresh(one, one.dataset.load));
    all("details[data-load-open]", within).forEach(one => one.addEventListener("toggle", () => {
      const room = one.lastElementChild;
      if (one.open && room.tagName !== "DIV") { const made = document.createElement("div"); room.replaceWith(made); refresh(made, one.dataset.loadOpen); }
    }));
  };
  awaken(document);
  count();
  listen();
})();
