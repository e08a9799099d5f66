// SPDX-License-Identifier: Apache-2.0
// Draws the charts of a report by Chart.js, in the colours of report.css. Without it the tables say the same.
"use strict";
(() => {
  const charts = JSON.parse(document.getElementById("report-data").textContent);
  const figures = [...document.querySelectorAll("figure[data-chart]")];
  const details = [...document.querySelectorAll("details")];
  const drawn = new Map();
  const kNarrow = 520;  // pixels; below it a legend stands above the chart instead of names beside its lines
  const kAtOnce = 48;  // charts; more are drawn when they come into view
  const kMarks = ["circle", "rect", "triangle", "rectRot", "crossRot", "star", "rectRounded", "cross"];

  // ---- words and numbers

  const bytes = (exponent) => {
    const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    const unit = Math.max(0, Math.min(units.length - 1, Math.floor(exponent / 10)));
    return `${Number((2 ** (exponent - 10 * unit)).toPrecision(4))} ${units[unit]}`;
  };
  const number = (value) => (Math.abs(value) >= 1e4 && Math.abs(value) < 1e15
    ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(4))));
  const folded = (text, width) => {
    const lines = [""];
    for (const word of text.split(" ")) {
      const last = lines[lines.length - 1];
      if (last && last.length + word.length >= width) lines.push(word);
      else lines[lines.length - 1] = last ? `${last} ${word}` : word;
    }
    return lines;
  };

  // ---- colours

  const theme = () => {
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue(name).trim();
    return {text: get("--text"), muted: get("--muted"), line: get("--line"), ground: get("--ground"),
            series: get("--series").split(",").map((colour) => colour.trim())};
  };
  const faint = (colour) => `${colour}26`;

  // ---- names at the ends of lines, apart from each other

  const endNames = {
    id: "endNames",
    afterDatasetsDraw(chart) {
      if (!chart.$names) return;
      const names = [];
      chart.data.datasets.forEach((dataset, i) => {
        const points = chart.getDatasetMeta(i).data;
        if (dataset.band || points.length === 0) return;
        const end = points[points.length - 1];
        names.push({text: dataset.label, colour: dataset.borderColor, x: end.x, from: end.y, y: end.y});
      });
      names.sort((a, b) => a.y - b.y);
      const kApart = 15;
      names.forEach((name, i) => { if (i > 0) name.y = Math.max(name.y, names[i - 1].y + kApart); });
      for (let i = names.length - 1, most = chart.chartArea.bottom; i >= 0; --i, most -= kApart) {
        names[i].y = Math.min(names[i].y, most);
      }
      const {ctx, chartArea} = chart;
      ctx.save();
      ctx.font = `12px ${Chart.defaults.font.family}`;
      ctx.textBaseline = "middle";
      for (const name of names) {
        ctx.strokeStyle = ctx.fillStyle = name.colour;
        ctx.lineWidth = 1;
        ctx.beginPath();
        ctx.moveTo(name.x + 5, name.from);
        ctx.lineTo(chartArea.right + 12, name.y);
        ctx.stroke();
        ctx.fillText(shortened(ctx, name.text, chart.width - chartArea.right - 16), chartArea.right + 16, name.y);
      }
      ctx.restore();
    },
  };
  const shortened = (ctx, text, width) => {
    if (ctx.measureText(text).width <= width) return text;
    let length = text.length;
    while (length > 1 && ctx.measureText(`${text.slice(0, length)}…`).width > width) --length;
    return `${text.slice(0, length)}…`;
  };
  const widthOfNames = (chart, width) => {
    const ctx = document.createElement("canvas").getContext("2d");
    ctx.font = `12px ${Chart.defaults.font.family}`;
    const widest = Math.max(...chart.series.map((series) => ctx.measureText(series.label).width));
    return Math.min(widest + 24, width * 0.34);
  };

  // ---- axes

  const isDoubling = (axis) => axis.scale === "bytes" || axis.scale === "doubling";
  const position = (axis, value) => (isDoubling(axis) ? Math.log2(value) : value);
  const worded = (axis, value) => (axis.scale === "bytes" ? bytes(value)
    : axis.scale === "doubling" ? number(2 ** value) : number(value));

  const axisOf = (axis, colours, options) => {
    const base = {
      grid: {color: colours.line, drawBorder: false, tickLength: 4},
      ticks: {color: colours.muted, maxRotation: 0, font: {size: 12}, callback: (value) => worded(axis, value)},
      title: {display: Boolean(options.named && axis.title), text: axis.title, color: colours.muted, font: {size: 12}},
      ...options.more,
    };
    const [least, most] = options.range ?? [];
    if (axis.scale === "logarithmic") {
      return {...base, type: "logarithmic", afterBuildTicks: decades, min: rounded(least, Math.floor), max: rounded(most, Math.ceil)};
    }
    if (axis.scale === "doubling" && options.values.length <= 12) {
      return {...base, type: "linear", min: least, max: most,
              afterBuildTicks: (scale) => { scale.ticks = options.values.map((value) => ({value})); }};
    }
    if (isDoubling(axis)) {
      return {...base, type: "linear", min: Math.floor(least), max: Math.ceil(most), afterBuildTicks: powers(options.width)};
    }
    return {...base, type: "linear"};
  };
  // To the next half of a decade, so that lines fill the chart.
  const rounded = (value, round) => 10 ** (round(2 * Math.log10(value)) / 2);
  const valuesOf = (chart) => [...new Set(chart.series.flatMap(
    (series) => series.points.map((point) => position(chart.x, point[0]))))];
  const rangeOf = (chart, axis, index) => {
    const values = chart.series.flatMap((series) => series.points.flatMap(
      (point) => (index === 0 ? [point[0]] : point.slice(1)))).map((value) => position(axis, value));
    const [least, most] = values.reduce(
      (range, value) => [Math.min(range[0], value), Math.max(range[1], value)], [Infinity, -Infinity]);
    if (least < most) return [least, most];
    return axis.scale === "logarithmic" ? [least / 3, most * 3] : [least - 1, most + 1];
  };
  const powers = (width) => (scale) => {
    const first = Math.ceil(scale.min), last = Math.floor(scale.max);
    const room = Math.max(2, Math.floor(width / 64));
    const step = Math.max(1, Math.ceil((last - first + 1) / room));
    scale.ticks = [];
    for (let value = first; value <= last; value += step) scale.ticks.push({value});
  };
  const decades = (scale) => {
    const first = Math.floor(Math.log10(scale.min)), last = Math.ceil(Math.log10(scale.max));
    const within = last - first <= 2 ? [1, 2, 5] : [1];
    const step = Math.max(1, Math.ceil((last - first) / 7));
    scale.ticks = [];
    for (let power = first; power <= last; power += step) {
      for (const digit of within) {
        const value = digit * 10 ** power;
        if (value >= scale.min * 0.999 && value <= scale.max * 1.001) scale.ticks.push({value});
      }
    }
  };

  // ---- data

  const lineSets = (chart, colours) => chart.series.flatMap((series, i) => {
    const colour = series.dashed && series.points.length === 2 && chart.kind === "points" || series.label === "ideal"
      ? colours.muted : colours.series[i % colours.series.length];
    const isReference = chart.kind === "points" && series.dashed;
    const at = (value) => series.points.map((point) => ({x: position(chart.x, point[0]), y: value(point)}));
    const line = {
      label: series.label, data: at((point) => point[1]), borderColor: colour, backgroundColor: colour,
      borderWidth: isReference ? 1.5 : 2, borderDash: series.dashed ? [6, 4] : [],
      showLine: chart.kind === "lines" || isReference,
      pointStyle: kMarks[i % kMarks.length],
      pointRadius: isReference ? 0 : series.points.length > 60 ? 1.8 : 3,
      pointHoverRadius: 5, tension: 0, clip: false,
    };
    if (!series.points.some((point) => point.length === 4)) return [line];
    const edge = {label: series.label, band: true, borderWidth: 0, pointRadius: 0, pointHitRadius: 0, pointHoverRadius: 0,
                  backgroundColor: faint(colour), borderColor: "transparent", clip: false};
    return [line, {...edge, data: at((point) => point[2] ?? point[1]), fill: false},
            {...edge, data: at((point) => point[3] ?? point[1]), fill: "-1"}];
  });

  const barSets = (chart, colours) => chart.series.map((series, i) => {
    const data = new Array(chart.categories.length).fill(null);
    const across = chart.kind === "stacked_bars";
    for (const [x, y] of series.points) data[across ? y : x] = across ? x : y;
    return {label: series.label, data, backgroundColor: colours.series[i % colours.series.length], borderWidth: 0,
            borderRadius: across ? 0 : 2, maxBarThickness: 34, stack: across ? "all" : undefined};
  });

  const spanSets = (chart, colours) => chart.series.map((series, i) => ({
    label: series.label, grouped: false, minBarLength: 3, maxBarThickness: 22, barPercentage: 0.9, categoryPercentage: 0.9,
    backgroundColor: series.dashed ? `${colours.muted}66` : colours.series[i % colours.series.length],
    borderColor: colours.ground, borderWidth: {left: 0.5, right: 0.5},
    data: (series.spans ?? []).map(([from, to, category, label]) => ({x: [from, to], y: category, label})),
  }));

  // ---- charts

  const tooltipOf = (chart) => ({
    filter: (item) => !item.dataset.band,
    callbacks: {
      title: (items) => (items.length === 0 ? "" : chart.categories.length > 0
        ? chart.categories[chart.kind === "spans" ? items[0].raw.y : items[0].dataIndex]
        : `${worded(chart.x, items[0].parsed.x)}${chart.x.scale === "linear" ? ` ${chart.x.title}` : ""}`),
      label: (item) => {
        if (chart.kind === "spans") {
          const [from, to] = item.raw.x;
          return `${item.raw.label}: ${number(to - from)} ${chart.x.title}, from ${number(from)}`;
        }
        const across = chart.kind === "stacked_bars";
        const unit = across ? chart.x.title : chart.y.title;
        return `${item.dataset.label}: ${number(across ? item.parsed.x : item.parsed.y)} ${unit}`;
      },
    },
  });

  const optionsOf = (chart, colours, width) => {
    const across = chart.kind === "stacked_bars" || chart.kind === "spans";
    const bars = across || chart.kind === "bars";
    const named = chart.kind === "lines" && chart.series.length > 1 && width >= kNarrow;
    const options = {
      animation: false, responsive: true, maintainAspectRatio: false, parsing: chart.kind !== "spans" || undefined,
      devicePixelRatio: Math.max(2, window.devicePixelRatio || 1),
      layout: {padding: {right: named ? widthOfNames(chart, width) : 6, top: 4}},
      interaction: {mode: "nearest", axis: across ? "xy" : "x", intersect: across},
      plugins: {
        legend: {
          display: chart.series.length > 1 && !named, align: "start",
          onClick: () => {},
          labels: {color: colours.text, usePointStyle: !bars, boxWidth: bars ? 12 : 8, boxHeight: bars ? 12 : 8, padding: 12,
                   filter: (item, data) => !data.datasets[item.datasetIndex].band},
        },
        tooltip: tooltipOf(chart),
      },
    };
    options.scales = bars ? barAxes(chart, colours, across, width) : {
      x: axisOf(chart.x, colours, {named: chart.x.scale !== "bytes", width, more: {},
                                   values: valuesOf(chart), range: rangeOf(chart, chart.x, 0)}),
      y: axisOf(chart.y, colours, {named: false, width, more: {beginAtZero: chart.kind === "lines"},
                                   range: rangeOf(chart, chart.y, 1)}),
    };
    if (across) options.indexAxis = "y";
    return options;
  };

  const barAxes = (chart, colours, across, width) => {
    const wide = Math.max(14, Math.floor(width / 22));
    const stacked = chart.kind === "stacked_bars";
    const category = {
      type: "category", labels: chart.categories.map((_, i) => i), stacked,
      grid: {display: false, drawBorder: false}, offset: true,
      ticks: {color: colours.muted, font: {size: 12}, autoSkip: !across, maxRotation: across ? 0 : 50,
              callback: (index) => (across ? folded(chart.categories[index], wide) : chart.categories[index])},
    };
    const axis = across ? chart.x : chart.y;
    const value = axisOf(axis, colours, {named: across, width, more: {beginAtZero: true, stacked}});
    return across ? {x: value, y: category} : {x: category, y: value};
  };

  const heightOf = (chart, width) => {
    if (chart.kind !== "stacked_bars" && chart.kind !== "spans") {
      // A legend above takes from the plot.
      return width < kNarrow && chart.series.length > 2 ? `${250 + 22 * Math.ceil(chart.series.length / 2)}px` : "";
    }
    const wide = Math.max(14, Math.floor(width / 22));
    const lines = chart.categories.map((name) => folded(name, wide).length);
    return `${90 + lines.reduce((sum, count) => sum + Math.max(30, 16 * count + 12), 0)}px`;
  };

  const draw = (figure) => {
    drawn.get(figure)?.destroy();
    const chart = charts[figure.dataset.chart];
    const plot = figure.querySelector(".plot");
    if (!plot.firstChild) plot.append(document.createElement("canvas"));
    const width = figure.clientWidth;
    plot.style.height = heightOf(chart, width);
    const colours = theme();
    const sets = {lines: lineSets, points: lineSets, bars: barSets, stacked_bars: barSets, spans: spanSets};
    const result = new Chart(plot.firstChild, {
      type: chart.kind === "lines" || chart.kind === "points" ? "line" : "bar",
      data: {labels: chart.categories.length ? chart.categories.map((_, i) => i) : undefined,
             datasets: sets[chart.kind](chart, colours)},
      options: optionsOf(chart, colours, width),
      plugins: [endNames],
    });
    result.$names = chart.kind === "lines" && chart.series.length > 1 && width >= kNarrow;
    result.update();
    drawn.set(figure, result);
  };

  // ---- when

  const drawAgain = () => { for (const figure of drawn.keys()) draw(figure); };

  // On paper all tables are open, and all charts are there, in the colours of paper.
  let wasOpen = [];
  const toPaper = () => {
    document.documentElement.classList.add("paper");
    wasOpen = details.map((element) => element.open);
    for (const element of details) element.open = true;
    for (const figure of figures) draw(figure);
  };
  const fromPaper = () => {
    document.documentElement.classList.remove("paper");
    details.forEach((element, i) => { element.open = wasOpen[i]; });
    drawAgain();
  };

  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  for (const element of details) element.open = false;
  if (figures.length <= kAtOnce) {
    for (const figure of figures) draw(figure);
  } else {
    const observer = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        observer.unobserve(entry.target);
        draw(entry.target);
      }
    }, {rootMargin: "600px"});
    for (const figure of figures) observer.observe(figure);
  }
  window.addEventListener("beforeprint", toPaper);
  window.addEventListener("afterprint", fromPaper);
  for (const query of ["(prefers-color-scheme: dark)", "print"]) {
    window.matchMedia(query).addEventListener("change", drawAgain);
  }
  let waiting = 0;
  let lastWidth = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === lastWidth) return;
    lastWidth = window.innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(drawAgain, 150);
  });
})();
