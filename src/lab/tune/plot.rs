//! Diagrams of tunings and scans as SVG.

use std::ops::Range;

use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use super::error::TuneError;
use super::history::Row;
use super::parameter::Tunable;
use super::scan::ScanResult;
use crate::util::wilson::Z_95;

/// The width of a diagram in pixels.
const WIDTH: u32 = 900;

/// The height of a panel in pixels.
const HEIGHT: u32 = 240;

/// The most points of a curve. Longer ones are thinned out.
const MOST_POINTS: usize = 2000;

/// Drawing into a string does not fail; the backend has errors nevertheless.
type PlotResult<T> = Result<T, Box<dyn std::error::Error>>;

/// The value of every parameter over the steps, a panel for each, with the start value at step 0.
pub(crate) fn plot_history(
    parameters: &[Tunable],
    steps: usize,
    rows: &[Row],
) -> Result<String, TuneError> {
    let panels = parameters.len().max(1);
    let stride = rows.len().div_ceil(MOST_POINTS).max(1);
    let is_drawn = |row: &&Row| row.step.is_multiple_of(stride) || row.step == rows.len();
    draw(panels as u32 * HEIGHT, |root| {
        let areas = parameters.iter().zip(root.split_evenly((panels, 1)));
        for (i, (parameter, area)) in areas.enumerate() {
            let mut points = vec![(0.0, parameter.value)];
            let drawn = rows.iter().filter(is_drawn);
            points.extend(drawn.filter_map(|row| Some((row.step as f64, *row.values.get(i)?))));
            let y = around(points.iter().map(|point| point.1));
            let x = 0.0..steps.max(1) as f64;
            chart(&area, &parameter.name, (x, "step"), (y, "value"))?
                .draw_series(LineSeries::new(points, BLUE))?;
        }
        Ok(())
    })
}

/// The score of every variant of a scan in per cent, with its 95 % interval over pairs.
pub(crate) fn plot_scan(result: &ScanResult) -> Result<String, TuneError> {
    let bars = result.points.iter().filter_map(|point| {
        let score = 100.0 * point.pairs.score()?;
        let half = 100.0 * Z_95 * point.pairs.standard_error()?;
        Some((point.x(), score - half, score, score + half))
    });
    let bars: Vec<Bar> = bars.collect();
    let x = around(result.points.iter().map(|point| point.x()));
    let y = around(bars.iter().flat_map(|bar| [bar.1, bar.3]).chain([50.0]));
    draw(2 * HEIGHT, |root| {
        let even = [(x.start, 50.0), (x.end, 50.0)];
        let name = &result.name;
        let mut chart = chart(root, name, (x, name), (y, "score in %"))?;
        chart.draw_series(LineSeries::new(even, BLACK.mix(0.5)))?;
        let bar = |&(x, low, _, high): &Bar| PathElement::new(vec![(x, low), (x, high)], BLUE);
        chart.draw_series(bars.iter().map(bar))?;
        let dot = |&(x, _, score, _): &Bar| Circle::new((x, score), 4, BLUE.filled());
        chart.draw_series(bars.iter().map(dot))?;
        Ok(())
    })
}

/// A value with the lower end, the middle and the upper end of its score.
type Bar = (f64, f64, f64, f64);

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

type Chart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// An empty chart with a caption and, for each axis, its range and label.
fn chart<'a>(
    area: &Area<'a>,
    caption: &str,
    (x, x_desc): (Range<f64>, &str),
    (y, y_desc): (Range<f64>, &str),
) -> PlotResult<Chart<'a>> {
    let mut chart = ChartBuilder::on(area)
        .caption(caption, ("sans-serif", 18))
        .margin(8)
        .x_label_area_size(40)
        .y_label_area_size(70)
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_label_formatter(&label)
        .y_label_formatter(&label)
        .x_desc(x_desc)
        .y_desc(y_desc)
        .draw()?;
    Ok(chart)
}

/// Draws on a white diagram of this height.
fn draw(height: u32, paint: impl FnOnce(&Area<'_>) -> PlotResult<()>) -> Result<String, TuneError> {
    let mut svg = String::new();
    let draw = || -> PlotResult<()> {
        let root = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        root.fill(&WHITE)?;
        paint(&root)?;
        Ok(root.present()?)
    };
    draw().map_err(|error| TuneError::Plot(error.to_string()))?;
    Ok(svg)
}

/// The range of the finite values, widened by a twentieth on both sides.
fn around(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for x in values.filter(|x| x.is_finite()) {
        (low, high) = (low.min(x), high.max(x));
    }
    if low > high {
        return 0.0..1.0;
    }
    let margin = match (high - low) / 20.0 {
        0.0 => (high.abs() / 20.0).max(1e-3),
        margin => margin,
    };
    low - margin..high + margin
}

/// The label of a number on an axis, without rounding errors.
fn label(x: &f64) -> String {
    let rounded = super::parameter::significant(*x, 6);
    // Zero, apart from rounding.
    if rounded.abs() < 1e-12 { 0.0 } else { rounded }.to_string()
}
