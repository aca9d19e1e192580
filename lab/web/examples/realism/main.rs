//! Compares real sites with generated ones: page sizes, links per page, pages with objects, URL
//! shapes, change rates.
//!
//! The same code measures both. Real data is expected in `../shared/data`, beside the repository,
//! and never part of it. If it is missing, a line reports that and only the generated figures are
//! printed.

#![expect(clippy::print_stdout, reason = "an example prints what it found")]

mod generated;
mod measure;
mod real;

fn main() {
    println!(
        "Sites. Medians over a site's pages, with its tenth and ninetieth percentile; of generated webs the"
    );
    println!("medians of their sites: the tenth percentile of sites, the median and the ninetieth.\n");
    println!(
        "{:<26}{:>8}{:>26}{:>22}{:>14}",
        "", "pages", "bytes/page", "own links/page", "with objects"
    );
    for site in real::sites() {
        site.print();
    }
    let webs = generated::webs();
    for web in &webs {
        generated::print_sites(web);
    }
    println!(
        "\nShares. Repeated: the same objects as an earlier page of the site; nothing new: none that no page before had.\n"
    );
    println!(
        "{:<26}{:>8}{:>10}{:>18}{:>14}{:>14}{:>12}",
        "", "pages", "objects", "without objects", "repeated", "nothing new", "most sites"
    );
    webs.iter().for_each(generated::print_shares);
    println!("\nURLs, in hundredths of all.\n");
    println!(
        "{:<26}{:>8}{:>10}{:>10}{:>10}{:>12}",
        "", "URLs", "queries", "digits", "capitals", "segments"
    );
    for (name, shapes) in real::url_shapes() {
        shapes.print(&name);
    }
    for web in &webs {
        generated::shapes(web).print(&generated::name(web));
    }
    println!(
        "\nWeeks in which a page changed, in hundredths: the tenth percentile of pages, the median, the ninetieth.\n"
    );
    for (name, rates) in real::change_rates() {
        measure::print_rates(&name, &rates);
    }
    for web in &webs {
        for (name, rates) in generated::change_rates(web) {
            measure::print_rates(&format!("{}: {name}", web.spec().vertical.name()), &rates);
        }
    }
}
